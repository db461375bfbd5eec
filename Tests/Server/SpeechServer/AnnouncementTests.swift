import Testing

@testable import SpeechServer

@Suite struct AnnouncementTests {
  @Test func `the error for a missing Avahi library names the library`() {
    let error = #expect(throws: AnnouncementError.self) {
      try Announcement(name: "x", port: 1, library: "libnone.so.0") { _ in }
    }
    #expect(error?.description == "there is no libnone.so.0")
  }

  @Test func `the error for a library without Avahi's functions names the missing function`() {
    let error = #expect(throws: AnnouncementError.self) {
      try Announcement(name: "x", port: 1, library: "libc.so.6") { _ in }
    }
    #expect(error?.description == "libc.so.6 has no avahi_threaded_poll_new")
  }
}
