import Testing

@testable import AudioRecorderClientLive

@Suite struct HubDoorTests {
  @Test func `the first who joins runs the capture, and the last who goes ends it`() {
    var door = HubDoor()
    door.expectLeases(2)
    expect(door.join(1), .drive)
    expect(door.join(2), .ride)
    expect(door.leave(1), .goOn)
    #expect(!door.isClosed)
    expect(door.leave(2), .endCapture)
    #expect(door.isClosed)
    expect(door.lease(), false)
  }

  @Test func `a lease keeps the device open without a member`() {
    var door = HubDoor()
    door.expectLeases(2)
    expect(door.join(1), .drive)
    expect(door.leave(1), .goOn)
    expect(door.join(2), .ride)
    expect(door.leave(2), .endCapture)
  }

  @Test func `a device that nobody ever heard is closed by who gives back the lease`() {
    var door = HubDoor()
    door.expectLeases(2)
    expect(door.release(), .goOn)
    expect(door.release(), .closeDevice)
    #expect(door.isClosed)
  }

  @Test func `a lease that is given back last ends a capture without members`() {
    var door = HubDoor()
    door.expectLeases(2)
    expect(door.join(1), .drive)
    expect(door.leave(1), .goOn)
    expect(door.release(), .endCapture)
  }

  @Test func `a stop ends the capture for the last member alone`() {
    var door = HubDoor()
    door.expectLeases(2)
    expect(door.join(1), .drive)
    expect(door.stop(1), .goOn)
    expect(door.join(2), .ride)
    expect(door.stop(2), .goOn)
    expect(door.leave(1), .goOn)
    expect(door.stop(1), .goOn)
    expect(door.stop(2), .endCapture)
    #expect(!door.isAbandoned && door.isClosed)
  }

  @Test func `who joins after the end is too late`() {
    var door = HubDoor()
    door.expectLeases(1)
    door.end()
    expect(door.join(1), .tooLate)
    #expect(door.isAbandoned)
  }

  private func expect<Value: Equatable>(
    _ value: Value, _ expected: Value, at place: SourceLocation = #_sourceLocation
  ) {
    #expect(value == expected, sourceLocation: place)
  }
}

extension HubDoor {
  fileprivate mutating func expectLeases(_ count: Int) {
    for _ in 0..<count where !lease() { Issue.record("the door is closed") }
  }
}
