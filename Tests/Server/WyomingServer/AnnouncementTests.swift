import Testing

@testable import WyomingServer

@Suite struct AnnouncementTests {
  @Test func `the error names a missing library of Avahi`() {
    let error = #expect(throws: AnnouncementError.self) {
      try Announcement(name: "x", port: 1, library: "libnone.so.0") { _ in }
    }
    #expect(error?.description == "there is no libnone.so.0")
  }

  @Test func `the error names a missing function of another library`() {
    let error = #expect(throws: AnnouncementError.self) {
      try Announcement(name: "x", port: 1, library: "libc.so.6") { _ in }
    }
    #expect(error?.description == "libc.so.6 has no avahi_threaded_poll_new")
  }
}
