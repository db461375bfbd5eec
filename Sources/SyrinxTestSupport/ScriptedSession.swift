import AudioCore
import SpeechEngine

/// A session that follows the script.
final class ScriptedSession: SpeechEngineSession {
  let tailPadding: Duration
  private var rest: ArraySlice<ScriptedUtterance>
  private let options: SpeechSessionOptions
  private let faults: ScriptedFaults
  private let note: @Sendable (ScriptedSpeechEngine.Event) -> Void
  private var current: ScriptedUtterance?
  private var heard: FrameCount = 0

  init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults, options: SpeechSessionOptions,
    tailPadding: Duration,
    note: @escaping @Sendable (ScriptedSpeechEngine.Event) -> Void
  ) {
    rest = utterances[...]
    (self.faults, self.options, self.tailPadding) = (faults, options, tailPadding)
    self.note = note
  }

  deinit {
    note(.released)
  }

  var hypothesis: SpeechHypothesis {
    let heard = current?.hypothesis(after: heard) ?? SpeechHypothesis()
    return options.keyPhrases.isEmpty ? heard : heard.phrases(options.keyPhrases)
  }

  func beginUtterance() throws(SpeechEngineError) {
    current = rest.popFirst()
    heard = 0
    note(.began)
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    heard = heard + FrameCount(samples.count)
    if let error = faults.processing, heard > FrameCount(faults.failsAfter, at: .speech) {
      throw error
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if let error = faults.finishing { throw error }
    note(.finished(after: heard))
    let whole = current?.whole(alternatives: options.alternativeCount) ?? SpeechHypothesis()
    return options.keyPhrases.isEmpty ? whole : whole.phrases(options.keyPhrases)
  }
}

extension SpeechHypothesis {
  /// The phrases that stand in it, a word each, without confidence.
  fileprivate func phrases(_ wanted: [SpeechKeyPhrase]) -> SpeechHypothesis {
    let texts = words.map(\.text)
    let found = words.indices.flatMap { index in
      wanted.compactMap { phrase -> Word? in
        let parts = phrase.text.split(separator: " ").map(String.init)
        guard texts[index...].starts(with: parts) else { return nil }
        let end = words[index + parts.count - 1].frames.upperBound
        return Word(phrase.text, frames: words[index].frames.lowerBound..<end)
      }
    }
    return SpeechHypothesis(words: found)
  }
}
