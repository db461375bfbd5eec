import AudioCore
import AudioRecorderClient
import Testing

@Suite struct RecordingPolicyTests {
  @Test func `a slow consumer gets one xrun with the total duration, and the newest levels`() {
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

  @Test func `a slow consumer gets the started event and the newest other events`() {
    let format = AudioFormat.speech
    let start = RecordingEvent.started(
      RecordingStart(device: "a", deviceFormat: format, fileFormat: format))
    var queue: [RecordingEvent] = []
    PipePolicy.recording.enqueue(&queue, start)
    for level in 1...5_000 {
      PipePolicy.recording.enqueue(&queue, .silentMicrophone(Decibels(Double(-level))))
    }
    #expect(queue.count == PipePolicy.eventLimit)
    #expect(queue.first == start)
    #expect(queue.last == .silentMicrophone(Decibels(-5_000)))
  }

  @Test func `a slow consumer gets the last device loss and the sum of the gaps`() {
    var queue: [RecordingEvent] = []
    for _ in 1...100 {
      PipePolicy.recording.enqueue(&queue, .deviceLost)
      PipePolicy.recording.enqueue(&queue, .deviceReturned(gap: .seconds(2)))
    }
    #expect(queue == [.deviceLost, .deviceReturned(gap: .seconds(200))])
    PipePolicy.recording.enqueue(&queue, .deviceLost)
    #expect(queue == [.deviceReturned(gap: .seconds(200)), .deviceLost])
  }
}
