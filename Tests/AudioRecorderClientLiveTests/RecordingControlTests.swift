import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingControlTests {
  @Test func `commands come in order and once`() {
    let control = RecordingControl()
    #expect(control.isEmpty)
    control.send(.pause)
    control.send(.roll)
    #expect(!control.isEmpty)
    #expect(control.takeAll(at: 0) == [.pause, .roll])
    #expect(control.takeAll(at: 0).isEmpty)
    #expect(control.isEmpty)
  }

  @Test func `what was heard before a command is none of its business`() {
    let control = RecordingControl()
    control.send(.pause, from: 3)
    control.send(.resume, from: 5)
    #expect(control.takeAll(at: 2).isEmpty)
    #expect(control.takeAll(at: 4) == [.pause])
    #expect(control.takeAll(at: 5) == [.resume])
  }

  @Test func `a device that was opened anew does not keep commands waiting`() {
    let control = RecordingControl()
    #expect(control.takeAll(at: 100).isEmpty)
    control.send(.pause, from: 101)
    #expect(control.takeAll(at: 0) == [.pause])
  }
}
