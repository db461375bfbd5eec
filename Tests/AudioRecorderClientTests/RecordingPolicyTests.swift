import AudioCore
import AudioRecorderClient
import Testing

@Suite struct RecordingPolicyTests {
  @Test func `a consumer that does not look costs no memory and loses no gap`() {
    var queue: [RecordingEvent] = []
    let silence = AudioMeter().level
    for step in 1...100 {
      PipePolicy.recording.enqueue(&queue, .xrun(.milliseconds(25)))
      PipePolicy.recording.enqueue(
        &queue, .levels(RecordingLevels(recorded: .milliseconds(step), level: silence)))
    }
    #expect(
      queue == [
        .xrun(.milliseconds(2_500)),
        .levels(RecordingLevels(recorded: .milliseconds(100), level: silence)),
      ])
  }
}
