import SpeechEngine

/// What Vosk cannot do, in general, with this library or with this model.
struct VoskLimits {
  static let engine = "Vosk"

  /// What the library and the model have.
  var takesPhrases: Bool
  var hasNewRecognizerForPhrases: Bool
  var hasAlternatives: Bool
  var hasConfidence: Bool
  var knowsOtherWord: Bool

  init(model: VoskModel) {
    let functions = model.library.functions
    takesPhrases = model.files.takesPhrases
    hasNewRecognizerForPhrases = functions.newRecognizerForPhrases != nil
    hasAlternatives = functions.setMaxAlternatives != nil
    hasConfidence = functions.setWords != nil && functions.setPartialWords != nil
    knowsOtherWord = model.knows(AllowedSentences.otherWord)
  }

  /// Refuses what is asked for and cannot be done.
  func check(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    if let name = options.engineOptions.keys.sorted().first {
      throw .optionInvalid(
        name: name, reason: "Vosk takes no options; those of its model are in its conf/model.conf")
    }
    if let obstacle = obstacle(to: options) {
      throw .unsupported(obstacle, engine: Self.engine)
    }
  }

  private func obstacle(to options: SpeechSessionOptions) -> String? {
    let hasKeys = !options.keyPhrases.isEmpty
    if options.alternativeCount > 0 {
      if hasKeys { return "alternatives to key phrases" }
      if !hasAlternatives { return lacking("alternatives", "vosk_recognizer_set_max_alternatives") }
    }
    guard hasKeys || options.grammar != nil else { return nil }
    if hasKeys && options.grammar != nil { return "key phrases beside a grammar" }
    if !hasNewRecognizerForPhrases { return lacking("grammar", "vosk_recognizer_new_grm") }
    if !takesPhrases {
      return "grammar or key phrases with this model, whose graph is fixed (a small model's is not)"
    }
    return hasKeys ? obstacle(toKeys: options.keyPhrases) : nil
  }

  private func obstacle(toKeys phrases: [SpeechKeyPhrase]) -> String? {
    if !knowsOtherWord {
      return "key phrases with this model, which lacks the word \(AllowedSentences.otherWord)"
    }
    let hasThreshold = phrases.contains { $0.threshold != nil }
    return hasThreshold && !hasConfidence
      ? lacking("thresholds", "vosk_recognizer_set_words") : nil
  }

  private func lacking(_ feature: String, _ symbol: String) -> String {
    "\(feature) with this library, which lacks \(symbol) (version \(VoskLibrary.knownVersion) has it)"
  }
}
