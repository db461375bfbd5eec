import AudioCore
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// With the real engine, sounds without speech have no results, not even partial results.
@Suite struct NonSpeechTests {
  /// Returns a second of quiet, four seconds of a sound, and a second of quiet.
  private func buffers(_ amplitude: @escaping @Sendable (Double) -> Float) -> [AudioBuffer] {
    let quiet = AudioSignal.noise(seed: 2, amplitude: 0.0005)
    let signal = AudioSignal { frame, rate in
      let time = Double(frame) / Double(rate.hertz)
      let background = quiet.sample(at: FrameCount(frame), rate: rate)
      return (1..<5).contains(time) ? amplitude(time) : background
    }
    return (0..<60).map { index in
      signal.buffer(1600, format: .speech, firstFrame: FrameCount(index * 1600))
    }
  }

  /// Returns all results, each with its kind.
  private func results(_ buffers: [AudioBuffer]) async throws -> [String] {
    try await SpeechTasks().start(
      SpeechRequest(buffers: stream(buffers)), on: .pocketSphinx()
    ).all().map { "\($0.isFinal ? "final" : "partial") \($0.bestTranscription.formattedString)" }
  }

  @Test func `noise that swells and fades has no words`() async throws {
    let noise = AudioSignal.noise(seed: 3, amplitude: 1)
    let buffers = buffers { time in
      let swell = 0.1 * (1 - sin(4 * .pi * time))
      return Float(swell) * noise.sample(at: FrameCount(Int(time * 16_000)), rate: .speech)
    }
    #expect(try await results(buffers) == [])
  }

  @Test func `a chord with tremolo has no words`() async throws {
    let buffers = buffers { time in
      let chord = [261.6, 329.6, 392].reduce(0) { $0 + sin(2 * .pi * $1 * time) }
      return Float(0.1 * chord * (1.2 - sin(10 * .pi * time)))
    }
    #expect(try await results(buffers) == [])
  }

  @Test func `silence has no words`() async throws {
    #expect(try await results([AudioBuffer(silence: 96_000, format: .speech)]) == [])
  }
}
