import AudioRecorderClient
import Testing

@Suite struct RecordingIDTests {
  @Test func `generated names are all different`() {
    #expect(Set((0..<100).map { _ in RecordingID() }).count == 100)
  }

  @Test func `a chosen name equals the same text anywhere`() {
    #expect(RecordingID("take") == RecordingID("take"))
    #expect(RecordingID("take") == "take")
    #expect("\(RecordingID("take"))" == "take")
  }
}
