import Foundation
import Syrinx

/// Plays a click and measures the time from the loudspeaker to the microphone.
@main
enum EchoDelay {
  static func main() async throws {
    // Without this card, the program measures the default devices.
    let room = VirtualMicrophone.loopback(delay: .milliseconds(120), gain: 0.5)
    let card = VirtualSoundCard(pace: .lockstep(ContinuousClock()), microphone: room)
    let delay = try await withDependencies {
      $0.soundCard = card.soundCard
    } operation: {
      try await measure()
    }
    print("the echo arrives after \(String(format: "%.0f", delay.inSeconds * 1_000)) ms")
  }

  /// Plays a click and returns the delay of its echo.
  static func measure() async throws -> Duration {
    @Dependency(\.audioPlayer) var player
    @Dependency(\.audioRecorder) var recorder
    let format = AudioFormat(sampleRate: 48_000, channelCount: 1)
    let (lead, tail) = (AudioBuffer(silence: 9_600, format: format).samples, 24_000)
    let click = AudioBuffer(
      format: format, samples: lead + [0.9] + [Float](repeating: 0, count: tail))
    async let captured = timeOfClick(recorder)
    var played: ContinuousClock.Instant?
    let request = PlaybackRequest(source: .buffers([click]))
    for try await event in await player.playback(request: request) {
      if case .progress(let progress) = event, let time = progress.hostTime {
        played = time - progress.played + .milliseconds(200)
      }
    }
    let heard = try await captured
    guard let played else { throw NoEcho() }
    return heard - played
  }

  /// Captures until a click and returns its time; throws if there is none within 20 seconds.
  private static func timeOfClick(
    _ recorder: AudioRecorderClient
  ) async throws -> ContinuousClock.Instant {
    let request = CaptureRequest(channelCount: 1)
    for try await block in await recorder.capture(request: request).prefix(.seconds(20)) {
      guard let frame = block.samples.firstIndex(where: { abs($0) > 0.1 }),
        let begin = block.hostTime
      else { continue }
      return begin + FrameCount(frame).duration(at: block.format.sampleRate)
    }
    throw NoEcho()
  }

  private struct NoEcho: Error {}
}
