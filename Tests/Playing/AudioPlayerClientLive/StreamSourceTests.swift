import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

/// Streams that ignore cancellation.
@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct StreamSourceTests {
  private let asked = Gate()
  private let answered = Gate()
  private let tone = AudioSignal.sine(440).buffer(.seconds(1), format: .speech)

  /// Returns a request for a stream that yields these buffers, and then does not end until it is
  /// released.
  private func stubborn(_ buffers: [AudioBuffer]) -> PlaybackRequest {
    let rest = RingBuffer<Int>(capacity: buffers.count + 1)
    for index in buffers.indices { rest.tryWrite(index) }
    return PlaybackRequest(
      source: .stream(
        AsyncThrowingStream { [asked, answered] in
          if let index = rest.tryRead() { return buffers[index] }
          asked.open()
          await answered.wait()
          return nil
        }))
  }

  private func events(stopping request: PlaybackRequest) async throws -> [PlaybackEvent] {
    let card = VirtualSoundCard(pace: .untimed)
    let events = try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let player = AudioPlayerClient.liveValue
      let stream = await player.playback(request: request)
      await asked.wait()
      await player.stop()
      return try await stream.reduce(into: []) { $0.append($1) }
    }
    #expect(card.openDeviceCount == 0)
    answered.open()
    return events
  }

  @Test func `stop ends a playback whose stream is empty and ignores cancellation`()
    async throws
  {
    let events = try await events(stopping: stubborn([]))
    #expect(events == [.finished(PlaybackFinish(reason: .stopped, played: .zero))])
  }

  @Test func `stop ends a playback whose stream has begun and ignores cancellation`()
    async throws
  {
    let events = try await events(stopping: stubborn([tone]))
    guard case .finished(let finish) = events.last else {
      Issue.record("\(events)")
      return
    }
    #expect(finish.reason == .stopped)
  }

  @Test func `with low latency, a live stream begins once it has filled one device buffer`()
    async throws
  {
    let format = AudioFormat(sampleRate: 48_000, channelCount: 2)
    // The stream yields 15 ms, then neither a buffer nor its end.
    var request = stubborn((0..<3).map { _ in AudioBuffer(silence: 240, format: format) })
    request.latency = .low
    let card = VirtualSoundCard(pace: .untimed)
    try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      let player = AudioPlayerClient.liveValue
      let stream = await player.playback(request: request)
      var events = stream.makeAsyncIterator()
      guard case .started(let start) = try await events.next() else {
        Issue.record("the first event is another")
        return
      }
      #expect(start.settings?.buffer == 720)
      await player.stop()
      while try await events.next() != nil {}
    }
    answered.open()
  }
}
