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
  private let decodesWholeUtterances: Bool
  /// How often an utterance was decoded, and how much of it the last time.
  private var decode: (count: Int, heard: FrameCount?) = (0, nil)

  init(
    utterances: [ScriptedUtterance], faults: ScriptedFaults, options: SpeechSessionOptions,
    tailPadding: Duration, decodesWholeUtterances: Bool,
    note: @escaping @Sendable (ScriptedSpeechEngine.Event) -> Void
  ) {
    rest = utterances[...]
    (self.faults, self.options, self.tailPadding) = (faults, options, tailPadding)
    self.decodesWholeUtterances = decodesWholeUtterances
    self.note = note
  }

  deinit {
    note(.released)
  }

  var hypothesis: SpeechHypothesis {
    decodeAll()
    var hypothesis = current?.hypothesis(after: heard) ?? SpeechHypothesis()
    hypothesis.revision = decodesWholeUtterances ? decode.count : nil
    hypothesis.hasEstimatedTimes = decodesWholeUtterances
    return options.keyPhrases.isEmpty ? hypothesis : hypothesis.phrases(options.keyPhrases)
  }

  func anticipateEnd() {
    note(.anticipated(after: heard))
    decodeAll()
  }

  /// Decodes the audio that was not decoded before.
  private func decodeAll() {
    guard decodesWholeUtterances, decode.heard != heard else { return }
    decode = (decode.count + 1, heard)
    note(.decoded(after: heard))
  }

  func beginUtterance() throws(SpeechEngineError) {
    current = rest.popFirst()
    (heard, decode.heard) = (0, nil)
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
    decodeAll()
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
