import AudioRecorderClient
import Testing

@Suite struct RecordingIDTests {
  @Test func `generated IDs are all different`() {
    #expect(Set((0..<100).map { _ in RecordingID() }).count == 100)
  }

  @Test func `IDs with the same name are equal`() {
    #expect(RecordingID("take") == RecordingID("take"))
    #expect(RecordingID("take") == "take")
    #expect("\(RecordingID("take"))" == "take")
  }
}
