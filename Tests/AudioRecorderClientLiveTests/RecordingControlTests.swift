import AudioRecorderClient
import Testing

@testable import AudioRecorderClientLive

@Suite struct RecordingControlTests {
  @Test func `commands come in order and once`() {
    let control = RecordingControl()
    control.send(.pause)
    control.send(.roll)
    #expect(control.takeAll() == [.pause, .roll])
    #expect(control.takeAll().isEmpty)
  }
}
