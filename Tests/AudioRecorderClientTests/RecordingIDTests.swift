import AudioRecorderClient
import Testing

@Suite struct RecordingIDTests {
  @Test func `names that nobody chose are all different`() {
    #expect(Set((0..<100).map { _ in RecordingID() }).count == 100)
  }

  @Test func `a name of one's own is the same wherever it is written`() {
    #expect(RecordingID("take") == RecordingID("take"))
    #expect(RecordingID("take") == "take")
    #expect("\(RecordingID("take"))" == "take")
  }
}
