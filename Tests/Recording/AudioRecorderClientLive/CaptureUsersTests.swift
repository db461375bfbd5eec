import Testing

@testable import AudioRecorderClientLive

@Suite struct CaptureUsersTests {
  @Test func `the first member runs the capture, and the last one ends it`() {
    var users = CaptureUsers()
    users.expectLeases(2)
    expect(users.join(1), .first)
    expect(users.join(2), .later)
    expect(users.leave(1), .keepRunning)
    #expect(!users.isClosed)
    expect(users.leave(2), .endCapture)
    #expect(users.isClosed)
    expect(users.lease(), false)
  }

  @Test func `a lease keeps the device open without a member`() {
    var users = CaptureUsers()
    users.expectLeases(2)
    expect(users.join(1), .first)
    expect(users.leave(1), .keepRunning)
    expect(users.join(2), .later)
    expect(users.leave(2), .endCapture)
  }

  @Test func `the last unused lease closes a device that never ran`() {
    var users = CaptureUsers()
    users.expectLeases(2)
    expect(users.release(), .keepRunning)
    expect(users.release(), .closeDevice)
    #expect(users.isClosed)
  }

  @Test func `releasing the last lease ends a capture without members`() {
    var users = CaptureUsers()
    users.expectLeases(2)
    expect(users.join(1), .first)
    expect(users.leave(1), .keepRunning)
    expect(users.release(), .endCapture)
  }

  @Test func `the capture ends when its last member is stopped, even before others have left`() {
    var users = CaptureUsers()
    users.expectLeases(2)
    expect(users.join(1), .first)
    expect(users.stop(1), .keepRunning)
    expect(users.join(2), .later)
    expect(users.stop(2), .endCapture)
    expect(users.leave(1), .keepRunning)
    expect(users.stop(1), .keepRunning)
    expect(users.stop(2), .endCapture)
    #expect(!users.isAbandoned && users.isClosed)
  }

  @Test func `a member that joins after the end is too late`() {
    var users = CaptureUsers()
    users.expectLeases(1)
    users.end()
    expect(users.join(1), .tooLate)
    #expect(users.isAbandoned)
  }

  private func expect<Value: Equatable>(
    _ value: Value, _ expected: Value, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, sourceLocation: place)
  }
}

extension CaptureUsers {
  fileprivate mutating func expectLeases(_ count: Int) {
    for _ in 0..<count where !lease() { Issue.record("the capture is closed") }
  }
}
