import AudioCore
import AudioPlayerClient
import AudioPlayerClientLive
import ClientDependencies
import SoundCard
import TestTools
import Testing
import VirtualSoundCard

/// The test runs in a separate process, in which no other test uses threads, descriptors, or
/// memory.
@Suite struct LeftoversTests {
  @Test func `a thousand playbacks started and canceled leave no descriptor, thread, or memory`()
    async
  {
    await #expect(processExitsWith: .success) {
      let card = VirtualSoundCard(pace: .untimed, keepsPlayback: false)
      try await withDependencies {
        $0.soundCard = card.soundCard
        $0.playbackIdleTime = .zero
      } operation: {
        let player = AudioPlayerClient.liveValue
        let leftovers = try await ProcessResources.leftovers {
          try await beginAndCancel(1_000, with: player)
        }
        #expect(leftovers == nil)
        #expect(card.openDeviceCount == 0)
      }
    }
  }
}

/// Starts playbacks one after another and ends each at an arbitrary point, before or after its
/// start.
private func beginAndCancel(_ count: Int, with player: AudioPlayerClient) async throws {
  let tone = AudioSignal.sine(440)
    .buffer(.milliseconds(100), format: AudioFormat(sampleRate: 8_000, channelCount: 1))
  let request = PlaybackRequest(source: .buffers([tone]), repetition: .forever)
  for index in 0..<count {
    let playing = Task {
      for try await event in await player.playback(request: request.anew) {
        if case .started = event, index % 3 == 0 { break }
      }
    }
    if index % 3 == 2 { await player.stop() }
    if index % 3 > 0 { playing.cancel() }
    _ = await playing.result
    await player.stop()
  }
}

extension PlaybackRequest {
  /// The same request with a new ID.
  fileprivate var anew: PlaybackRequest {
    var request = self
    request.id = PlaybackID()
    return request
  }
}
