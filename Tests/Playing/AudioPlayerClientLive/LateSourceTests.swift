import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// A source that delivers late, on a virtual card that does not wait for the source.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct LateSourceTests {
  @Test func `the reported silence of a late source is as long as the played silence`() async throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 1)
    let card = VirtualSoundCard(pace: .realTime)
    let part = AudioBuffer(format: format, samples: .init(repeating: 0.5, count: 4_000))
    let (buffers, continuation) = AsyncThrowingStream<AudioBuffer, any Error>.makeStream()
    continuation.yield(part)
    var (silence, xruns) = (Duration.zero, Duration.zero)
    let events = await withDependencies {
      $0.soundCard = card.soundCard
      $0.continuousClock = ContinuousClock()
    } operation: {
      await AudioPlayerClient.liveValue.playback(request: PlaybackRequest(source: .stream(buffers)))
    }
    for try await event in events {
      if case .xrun(let duration) = event { xruns += duration }
      guard case .starved(let duration) = event else { continue }
      if silence == .zero {
        continuation.yield(part)
        continuation.finish()
      }
      silence += duration
    }
    let played = try #require(card.played.first).samples
    let begin = try #require(played.firstIndex { $0 != 0 })
    let end = try #require(played.lastIndex { $0 != 0 })
    // The silence between the first and the last frame, including fades and, on a busy machine,
    // xruns.
    let inserted = (end + 1 - begin - 8_000).duration
    #expect(silence > .zero)
    #expect(inserted >= silence - .milliseconds(25), "\(inserted) \(silence)")
    #expect(inserted <= silence + xruns + .milliseconds(25), "\(inserted) \(silence) \(xruns)")
  }
}

extension Int {
  /// The duration of this number of frames at 8 kHz.
  fileprivate var duration: Duration { .microseconds(self * 125) }
}
