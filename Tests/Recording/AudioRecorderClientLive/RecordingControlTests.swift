import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingControlTests {
  @Test func `commands arrive in order and once`() {
    let control = RecordingControl()
    #expect(control.isEmpty)
    control.send(.pause)
    control.send(.roll)
    #expect(!control.isEmpty)
    #expect(control.popAll(at: 0) == [.pause, .roll])
    #expect(control.popAll(at: 0).isEmpty)
    #expect(control.isEmpty)
  }

  @Test func `audio captured before a command is not affected by it`() {
    let control = RecordingControl()
    control.send(.pause, from: 3)
    control.send(.resume, from: 5)
    #expect(control.popAll(at: 2).isEmpty)
    #expect(control.popAll(at: 4) == [.pause])
    #expect(control.popAll(at: 5) == [.resume])
  }
}
