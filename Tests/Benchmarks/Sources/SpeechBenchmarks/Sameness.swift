import AudioCore
import BenchmarkTools
import Foundation
import SpeechClient

/// Checks whether the recognized text depends only on the audio and the contextual phrases: not on
/// partial results, the number of alternatives, or the number of jobs.
///
/// It also checks whether stable words stay the same. Files are compared with files and live audio
/// with live audio, because neighboring utterances are joined only in files. Live audio arrives in
/// real time, because a backlog has no partial results.
enum Sameness {
  /// The recognized texts of a clip under one kind of request, and the texts expected for it.
  private struct Outcome {
    var clip: String
    var request: String
    var texts: [String]
    var expected: [String]
    /// How many words were stable in partial results.
    var stableCount = 0
    var contradictions: [String] = []

    var isDifferent: Bool { texts != expected }
    var difference: String { "\(clip) (\(request)): \(texts) instead of \(expected)" }
  }

  static func measure(on bench: SpeechBench) async throws -> [Finding] {
    let client = try await MoonshineClient()
    let files = try await bench.allClips.mapped {
      try await outcomes(of: $0, client)
    }
    // Live recognition of four clips uses about as much CPU time as one file, so four clips run at
    // the same time.
    let live = try await bench.allClips.mapped(taskCount: 4) {
      try await liveOutcome(of: $0, client)
    }
    let contradictions = live.flatMap(\.contradictions)
    if CommandLine.arguments.contains("--texts") {
      let differences = (files.joined() + live).filter(\.isDifferent).map(\.difference)
      for line in differences + contradictions { print(line) }
    }
    let stableCount = live.reduce(0) { $0 + $1.stableCount }
    return [
      differences("files with partial results, alternatives, or jobs", Array(files.joined())),
      differences("live audio with partial results", live),
      Finding(
        name: "moonshine: stable words that a final result contradicts",
        value: Double(contradictions.count), unit: "", bound: 0,
        remark: "of \(stableCount); \(contradictions.named { $0 })"),
    ]
  }

  private static func differences(_ name: String, _ outcomes: [Outcome]) -> Finding {
    let different = outcomes.filter(\.isDifferent)
    return Finding(
      name: "moonshine: other texts of \(name)", value: Double(different.count), unit: "",
      bound: 0,
      remark: "of \(outcomes.count); \(different.named { "\($0.clip) (\($0.request))" })")
  }

  private static func outcomes(
    of clip: SpeechBench.Clip, _ client: MoonshineClient
  ) async throws -> [Outcome] {
    let plain = SpeechRequest(url: clip.url, shouldReportPartialResults: false)
    var (partial, parallel) = (plain, plain)
    partial.shouldReportPartialResults = true
    parallel.jobCount = 2
    let alternatives = [2, 8].map { count in
      var request = plain
      request.alternativeCount = count
      return ("\(count) alternatives", request)
    }
    let expected = try await client.events(of: plain).texts
    var outcomes: [Outcome] = []
    for (name, request) in alternatives + [("partial results", partial), ("2 jobs", parallel)] {
      let texts = try await client.events(of: request).texts
      outcomes.append(Outcome(clip: clip.name, request: name, texts: texts, expected: expected))
    }
    // Phrases change the text, so a request with phrases and all other options is compared with a
    // request that has only the phrases.
    var (phrases, everything) = (plain, parallel)
    phrases.contextualPhrases = contextualPhrases(of: clip)
    everything.contextualPhrases = phrases.contextualPhrases
    everything.shouldReportPartialResults = true
    everything.alternativeCount = 8
    outcomes.append(
      Outcome(
        clip: clip.name, request: "phrases with partial results, 8 alternatives, and 2 jobs",
        texts: try await client.events(of: everything).texts,
        expected: try await client.events(of: phrases).texts))
    return outcomes
  }

  /// Returns the longest words of the clip, and phrases that are not spoken in it.
  private static func contextualPhrases(of clip: SpeechBench.Clip) -> [String] {
    let words = Set(clip.words.split(separator: " ").map(String.init))
    return words.sorted { ($1.count, $0) < ($0.count, $1) }.prefix(3)
      + ["ComfyUI folder", "Terraform", "YAML"]
  }

  private static func liveOutcome(
    of clip: SpeechBench.Clip, _ client: MoonshineClient
  ) async throws -> Outcome {
    let silence = AudioBuffer(silence: 12_800, format: .speech)
    let buffers = try SpeechBench.buffer(of: clip.url).inPeriods + silence.inPeriods
    let request = { @Sendable (hasPartialResults: Bool) in
      var request = SpeechRequest(
        buffers: buffers.paced(from: .now), shouldReportPartialResults: hasPartialResults)
      request.backPressure = .buffer(upTo: .seconds(60))
      return request
    }
    // Both requests run at the same time, because each takes real time.
    async let plain = client.events(of: request(false))
    let events = try await client.events(of: request(true))
    var outcome = Outcome(
      clip: clip.name, request: "live with partial results", texts: events.texts,
      expected: try await plain.texts)
    let results = events.compactMap(\.result)
    for final in results where final.isFinal {
      let said = words(of: final.bestTranscription)
      let stable = results.filter { $0.utterance == final.utterance && !$0.isFinal }
        .map { words(of: $0.stablePrefix) }
      outcome.stableCount += stable.map(\.count).max() ?? 0
      outcome.contradictions += stable.filter { !said.starts(with: $0) }.map {
        "\(clip.name): \($0.joined(separator: " ")) | \(said.joined(separator: " "))"
      }
    }
    return outcome
  }

  private static func words(of transcription: Transcription) -> [String] {
    WordNormalization.spoken.words(of: transcription.formattedString)
  }
}
