import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

/// Every utterance that the detector finds ends in one final result, or is dropped.
@Suite struct UtteranceEndingTests {
  private let tasks = SpeechTasks()

  private func events(
    _ outcomes: [Outcome], jobCount: Int = 1, partials: Bool = false, phrases: [KeyPhrase] = []
  ) async throws -> [SpeechRecognitionEvent] {
    var request = SpeechRequest(
      buffers: stream(audio(utterances: outcomes.count)), shouldReportPartialResults: partials)
    (request.jobCount, request.keyPhrases) = (jobCount, phrases)
    let events = withDependencies {
      $0.speechEngine = fatedEngine(outcomes)
    } operation: { [request] in
      tasks.events(of: request)
    }
    var all: [SpeechRecognitionEvent] = []
    for try await event in events { all.append(event) }
    return all
  }

  /// Returns, for each utterance, its final result or the reason that it was dropped, and the
  /// number of its partial results, if any.
  private func endings(_ events: [SpeechRecognitionEvent]) -> [String] {
    var endings: [String] = []
    for event in events {
      switch event {
      case .speechStarted: endings.append("")
      case .result(let result) where result.isFinal:
        endings[endings.count - 1] += "final \(result.utterance)"
      case .result(let result):
        let shown = "partial \(result.utterance) "
        if endings.last != shown { endings[endings.count - 1] += shown }
      case .dropped(let stretch, let reason):
        #expect(stretch.lowerBound < stretch.upperBound)
        endings[endings.count - 1] += "\("\(reason)".prefix { $0 != "(" })"
      default: break
      }
    }
    return endings
  }

  private let outcomes: [Outcome] = [
    .words, .nothing, .unsure, .failure, .words, .unsure, .nothing, .words,
  ]

  @Test(arguments: [1, 3])
  func `an utterance without plausible words is dropped, whatever the number of jobs`(
    jobCount: Int
  ) async throws {
    let endings = try await endings(events(outcomes, jobCount: jobCount))
    #expect(
      endings == [
        "final 0", "unintelligible", "unintelligible", "engineFailed", "final 1", "unintelligible",
        "unintelligible", "final 2",
      ])
  }

  @Test func `a dropped utterance voids its partial results, and its number is not reused`()
    async throws
  {
    let endings = try await endings(events(outcomes, partials: true))
    #expect(
      endings == [
        "partial 0 final 0", "partial 1 unintelligible", "partial 2 unintelligible",
        "partial 3 engineFailed", "partial 4 final 4", "partial 5 unintelligible",
        "partial 6 unintelligible", "partial 7 final 7",
      ])
  }

  @Test func `an utterance without a key phrase has no result and is not dropped`() async throws {
    let all = try await events([.words, .nothing, .words], phrases: [KeyPhrase("word")])
    #expect(endings(all) == ["final 0", "", "final 1"])
  }
}

/// The ending of an utterance.
private enum Outcome {
  case words, nothing, unsure, failure
}

/// Returns an engine whose utterances end with these outcomes; the partial hypothesis of each
/// utterance is one word.
private func fatedEngine(_ outcomes: [Outcome]) -> SpeechEngine {
  SpeechEngine(
    name: "fated", availability: { .ready(SpeechModel(language: "en-US", location: "test")) },
    makeSession: { _ in FatedSession(outcomes) })
}

private final class FatedSession: SpeechEngineSession {
  private let outcomes: [Outcome]
  private var current: Int?

  init(_ outcomes: [Outcome]) {
    self.outcomes = outcomes
  }

  var traits: SpeechSessionTraits {
    var traits = SpeechSessionTraits()
    traits.survivesFailure = true
    return traits
  }

  var hypothesis: SpeechHypothesis { words(confidence: nil) }

  func beginUtterance() { current = nil }

  func process(_ samples: [Float]) { current = current ?? utteranceIndex(samples) }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    switch outcomes[current ?? 0] {
    case .words: return words(confidence: 0.9)
    case .nothing: return SpeechHypothesis()
    case .unsure: return words(confidence: 0.01)
    case .failure: throw .failed(reason: "crash")
    }
  }

  private func words(confidence: Double?) -> SpeechHypothesis {
    SpeechHypothesis(words: [
      SpeechHypothesis.Word("word", frames: 4800..<9600, confidence: confidence)
    ])
  }
}
