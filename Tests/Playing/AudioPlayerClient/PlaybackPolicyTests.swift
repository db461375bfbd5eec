import AudioCore
import AudioPlayerClient
import Testing

@Suite struct PlaybackPolicyTests {
  @Test func `for a slow consumer, silence events are merged into one with the total duration`() {
    var queue: [PlaybackEvent] = []
    for step in 1...100 {
      PipePolicy.playback.enqueue(&queue, .xrun(.milliseconds(25)))
      PipePolicy.playback.enqueue(&queue, .starved(.milliseconds(10)))
      PipePolicy.playback.enqueue(
        &queue, .progress(PlaybackProgress(played: .milliseconds(step))))
      PipePolicy.playback.enqueue(
        &queue, .looped(PlaybackProgress(played: .milliseconds(step)), count: step))
      PipePolicy.playback.enqueue(&queue, .limited(Decibels(step == 50 ? -6 : -3)))
      PipePolicy.playback.enqueue(&queue, .nonFinite(sampleCount: 2))
    }
    #expect(
      queue == [
        .xrun(.milliseconds(2_500)), .starved(.seconds(1)),
        .progress(PlaybackProgress(played: .milliseconds(100))),
        .looped(PlaybackProgress(played: .milliseconds(100)), count: 100),
        .limited(Decibels(-6)), .nonFinite(sampleCount: 200),
      ])
  }

  @Test
  func `a slow consumer gets the newest 64 events of each kind, and always the finished event`() {
    let place = { (step: Int) in PlaybackProgress(played: .milliseconds(step)) }
    let started = PlaybackEvent.started(
      PlaybackStart(device: "x", format: AudioFormat(sampleRate: 8_000, channelCount: 1)))
    let finished = PlaybackEvent.finished(PlaybackFinish(reason: .completed, played: .seconds(1)))
    var queue: [PlaybackEvent] = []
    PipePolicy.playback.enqueue(&queue, started)
    for step in 0..<1_000 {
      let events: [PlaybackEvent] = [
        .advanced(place(step)), .paused(place(step)), .resumed(place(step)), .sought(place(step)),
        .shortfall(item: step, announced: .zero, decoded: .zero),
        .title(item: step, "\(step)"), .failed(item: step, .emptySource(nil)),
      ]
      for event in events { PipePolicy.playback.enqueue(&queue, event) }
    }
    PipePolicy.playback.enqueue(&queue, finished)
    #expect(queue.count == 2 + 7 * 64)
    #expect(queue.first == started)
    #expect(queue.last == finished)
    #expect(queue.dropFirst().first == .advanced(place(936)))
    #expect(queue.dropLast().last == .failed(item: 999, .emptySource(nil)))
  }

  @Test func `a slow consumer gets the last device loss and the sum of the gaps`() {
    var queue: [PlaybackEvent] = []
    for _ in 1...100 {
      PipePolicy.playback.enqueue(&queue, .deviceLost)
      PipePolicy.playback.enqueue(&queue, .deviceReturned(gap: .seconds(2)))
    }
    #expect(queue == [.deviceLost, .deviceReturned(gap: .seconds(200))])
    PipePolicy.playback.enqueue(&queue, .deviceLost)
    #expect(queue == [.deviceReturned(gap: .seconds(200)), .deviceLost])
  }
}
