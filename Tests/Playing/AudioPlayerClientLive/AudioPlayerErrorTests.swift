import AudioCore
import AudioPlayerClient
import ClientDependencies
import SoundCard
import Testing

@testable import AudioPlayerClientLive

@Suite struct AudioPlayerErrorTests {
  @Test
  func `an unplugged or hanging device becomes deviceLost, even during opening`()
    async
  {
    let losses = [
      SoundCardError.deviceLost("x"), .notResponding("x", operation: "write"),
      .stalled("x", .playback),
    ]
    for error in losses {
      #expect(AudioPlayerError(error, on: nil) == .deviceLost("x"))
      await withDependencies {
        $0.soundCard.openPlayback = { _ in throw error }
      } operation: {
        await #expect(throws: AudioPlayerError.deviceLost("x")) {
          let buffer = AudioBuffer(silence: 1, format: .speech)
          let player = AudioPlayerClient.liveValue
          for try await _ in await player.playback(request: .init(source: .buffers([buffer]))) {}
        }
      }
    }
  }

  @Test func `any other device error keeps its message and the requested device`() {
    let error = SoundCardError.busy("x", holder: nil)
    #expect(AudioPlayerError(error, on: "y") == .device("y", reason: "\(error)"))
    #expect(AudioPlayerError(error, on: nil) == .device(nil, reason: "\(error)"))
  }

  @Test func `a system error is not reported as a device error`() {
    struct Refused: Error {}
    #expect(AudioPlayerError(Refused(), on: "x") == .system(reason: "Refused()"))
    #expect(AudioPlayerError(AudioPlayerError.deviceLost("x"), on: "y") == .deviceLost("x"))
  }
}
