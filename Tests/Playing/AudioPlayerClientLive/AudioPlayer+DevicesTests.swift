import AudioCore
import AudioPlayerClient
import AudioThreads
import ClientDependencies
import SoundCard
import Testing
import VirtualSoundCard

@testable import AudioPlayerClientLive

@Suite(.fewAtATime, .timeLimit(.minutes(5))) struct AudioPlayerDevicesTests {
  @Test func `after a failed opening, the next request opens the device again`() async throws {
    let (asked, answer) = (Gate(), Gate())
    let card = VirtualSoundCard(pace: .lockstep(TestClock()))
    var soundCard = card.soundCard
    soundCard.openPlayback = { request in
      guard !answer.isOpen else { return try await card.soundCard.openPlayback(request: request) }
      asked.open()
      await answer.wait()
      throw SoundCardError.busy("virtual")
    }
    let request = PCMRequest(format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let player = AudioPlayer()
    let users = withDependencies {
      $0.soundCard = soundCard
    } operation: {
      (0..<40).map { _ in
        Task {
          // If opening fails, this caller may try again before the other callers have received the
          // error.
          let first = try? await player.acquire(request)
          let device = if let first { first } else { try await player.acquire(request) }
          await player.release(device)
        }
      }
    }
    await asked.wait()
    answer.open()
    for user in users { try await user.value }
    #expect(card.openDeviceCount == 0)
  }

  @Test func `long progress intervals enlarge the device buffer, except for a live stream`() {
    func buffering(_ source: PlaybackSource) -> PCMBuffering {
      let request = PlaybackRequest(source: source, progressInterval: .seconds(2))
      return request.deviceRequest(for: .speech, idleTime: .zero).buffering
    }
    #expect(buffering(.buffers([])) == .unattendedPlayback)
    #expect(buffering(.stream(AsyncThrowingStream { nil })) == .playback)
  }
}
