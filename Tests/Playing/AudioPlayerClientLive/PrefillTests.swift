import AudioCore
import AudioPlayerClient
import AudioThreads
import Synchronization
import Testing

/// Live streams that deliver 5 ms at a time, and nothing more until their playback has started.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct PrefillTests {
  private let harness = PlayerHarness()

  @Test(
    arguments: [
      (.low, nil, 3), (.normal, nil, 20), (.low, .milliseconds(50), 10),
      (.normal, .milliseconds(5), 1),
    ] as [(PlaybackLatency, Duration?, Int)])
  func `a live stream starts when its prefill has arrived, and not before`(
    latency: PlaybackLatency, prefill: Duration?, count: Int
  ) async throws {
    let started = Gate()
    let taken = Mutex(0)
    let early = Mutex<[Int]>([])
    let buffers = AsyncThrowingStream<AudioBuffer, any Error> { [harness] in
      let index = taken.withLock {
        $0 += 1
        return $0
      }
      guard index <= count else {
        await started.wait()
        return nil
      }
      if !harness.events.isEmpty { early.withLock { $0.append(index) } }
      return AudioBuffer(format: PlayerHarness.format, samples: .init(repeating: 0.5, count: 40))
    }
    let playing = await harness.start(
      PlaybackRequest(source: .stream(buffers), latency: latency, prefill: prefill))
    guard case .started = harness.events.first else {
      Issue.record("\(harness.events) is the start of no playback")
      return
    }
    #expect(early.withLock { $0 }.isEmpty)
    started.open()
    try await harness.finish(playing)
    #expect(harness.played.count { $0 != 0 } > 40 * count - 40)
  }
}
