import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import MoonshineEngine
@testable import SpeechClientLive

/// Long speech, recognized with the real engine through the speech client.
@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(60))) struct MoonshineLongSpeechTests {
  private func finals(of samples: [Float], partials: Bool = false) async throws -> [Transcription] {
    let buffers = stride(from: 0, to: samples.count, by: 16_000).map { begin in
      AudioBuffer(
        format: .speech, samples: Array(samples[begin..<min(begin + 16_000, samples.count)]),
        firstFrame: FrameCount(begin))
    }
    var request = SpeechRequest(
      buffers: AsyncThrowingStream { continuation in
        for buffer in buffers { continuation.yield(buffer) }
        continuation.finish()
      })
    request.shouldReportPartialResults = partials
    request.backPressure = .wait
    var finals: [Transcription] = []
    let engine = try RealModel.engine
    let results = withDependencies {
      $0.speechEngine = engine
    } operation: {
      SpeechTasks().start(request)
    }
    for try await result in results where result.isFinal {
      finals.append(result.bestTranscription)
    }
    return finals
  }

  @Test(.enabled(if: Clip.folder != nil, "SYRINX_SPEECH_DATA names no folder"))
  func `speech without pauses is cut between words`() async throws {
    let names = ["lj-006", "lj-131", "lj-004", "lj-013", "lj-002", "lj-008"]
    let clips = try Clip.all
    let chosen = names.compactMap { name in clips.first { $0.name == name } }
    let audio = chosen.flatMap(\.samples)
    let finals = try await finals(of: audio)
    #expect(finals.count >= 2)
    let recognized = finals.map(\.formattedString).joined(separator: " ").spelling
    let words = String(decoding: recognized, as: UTF8.self).split(separator: " ").map(String.init)
    let said = chosen.flatMap { $0.words.split(separator: " ").map(String.init) }
    #expect(WordDistance.between(said, words) <= 6, "\(words)")
    let times = finals.flatMap { $0.segments.map(\.timestamp) }
    #expect(times == times.sorted())
  }

  @Test func `minutes of noise have no words`() async throws {
    var numbers = SeededNumbers(seed: 9)
    let noise = (0..<(180 * 16_000)).map { _ in Float.random(in: -0.1...0.1, using: &numbers) }
    let bursts = noise.enumerated().map { index, sample in
      index / 24_000 % 2 == 0 ? sample : sample / 1_000
    }
    #expect(try await finals(of: bursts).isEmpty)
    #expect(try await finals(of: [.nan, 0.5]).isEmpty)
  }

  @Test func `two utterances with partial results have two final results`() async throws {
    let samples = try Clip(sample: "two-utterances", words: "").samples
    let finals = try await finals(of: samples, partials: true)
    #expect(finals.map { $0.segments.count }.count == 2)
    #expect(finals.last?.formattedString.lowercased().hasPrefix("go forward") == true)
  }
}
