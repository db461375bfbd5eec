import Foundation
import Syrinx

/// Measures the time from a loudspeaker to a microphone with a click.
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
    async let captured = timeOfLoudestFrame(recorder)
    var played = ContinuousClock.now
    let request = PlaybackRequest(source: .buffers([click]))
    for try await event in await player.playback(request: request) {
      if case .progress(let progress) = event, let time = progress.hostTime {
        played = time - progress.played + .milliseconds(200)
      }
    }
    return try await captured - played
  }

  /// Captures a second and returns the time of its loudest frame.
  private static func timeOfLoudestFrame(
    _ recorder: AudioRecorderClient
  ) async throws -> ContinuousClock.Instant {
    var (loudest, time) = (Float(0), ContinuousClock.now)
    let request = CaptureRequest(channelCount: 1)
    for try await block in await recorder.capture(request: request).prefix(.seconds(1)) {
      for (frame, sample) in block.samples.enumerated() where abs(sample) > loudest {
        let offset = FrameCount(frame).duration(at: block.format.sampleRate)
        loudest = abs(sample)
        if let begin = block.hostTime { time = begin + offset }
      }
    }
    return time
  }
}
