import AudioCore
import SpeechEngine

/// A session that collects each utterance and decodes it as a whole.
final class WhisperSession: SpeechEngineSession {
  /// The shortest unfinished utterance that is decoded, because text from less audio is a guess.
  private static let leastPartial = FrameCount(.milliseconds(900), at: .speech)
  /// The longest utterance that is accepted: the models' window.
  private static let longest = FrameCount(.seconds(30), at: .speech)

  private let model: WhisperModel
  private let task: WhisperTask
  /// Not used after an interruption, because an abandoned call may still use it.
  private let state: WhisperState
  private let interruption = InterruptionFlag()
  private var utterance = Utterance()
  private var revision = 0

  /// The audio of the utterance so far, and the results of its decodes.
  private struct Utterance {
    var samples: [Float] = []
    var voice = VoicedSpan()
    /// The last partial hypothesis and the number of samples that it was decoded from.
    var partial: (hypothesis: SpeechHypothesis, count: Int)?
    /// The hypothesis of an early decode, in a pause.
    var anticipated: SpeechHypothesis?
  }

  /// - Throws: `.unsupported`, `.optionInvalid`, `.languageMissing`, `.failed`.
  init(
    model: WhisperModel, language: String?, options: SpeechSessionOptions
  ) throws(SpeechEngineError) {
    try options.checkForWhisper(model)
    task = try WhisperTask(
      language: model.index(of: language), translates: options.translates,
      prompt: model.prompt(options.contextualPhrases))
    self.model = model
    state = try WhisperState(model)
  }

  var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

  var traits: SpeechSessionTraits {
    var traits = SpeechSessionTraits(decodeInterval: .seconds(2))
    traits.utteranceLength = .zero ... .seconds(20)
    traits.survivesFailure = true
    return traits
  }

  func beginUtterance() throws(SpeechEngineError) {
    try interruption.check()
    utterance = Utterance()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    try interruption.check()
    guard utterance.samples.count + samples.count <= Self.longest.rawValue else {
      throw .failed(
        reason: """
          the utterance is longer than \(Self.longest.rawValue / SampleRate.speech.hertz) s; end it \
          earlier
          """)
    }
    let samples = samples.map { $0.isFinite ? max(-1, min(1, $0)) : 0 }
    // Digital silence continues the pause. Any other sample means that speech has resumed, so the
    // early decode is dropped.
    if samples.contains(where: { $0 != 0 }) { utterance.anticipated = nil }
    utterance.voice.add(samples)
    utterance.samples += samples
  }

  var hypothesis: SpeechHypothesis {
    get throws(SpeechEngineError) {
      try interruption.check()
      if let anticipated = utterance.anticipated { return anticipated }
      let count = utterance.samples.count
      if let partial = utterance.partial, !isDue(count, after: partial.count) {
        return partial.hypothesis
      }
      guard count >= Self.leastPartial.rawValue else { return SpeechHypothesis() }
      let text = try text(isFinal: false)
      let isPlausible =
        text.isEnded && text.probability >= SpeechHypothesis.leastProbability
      let hypothesis = hypothesis(isPlausible ? text : WhisperText())
      utterance.partial = (hypothesis, count)
      return hypothesis
    }
  }

  func anticipateEnd() throws(SpeechEngineError) {
    utterance.anticipated = nil
    utterance.anticipated = try hypothesis(text(isFinal: true))
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    try interruption.check()
    defer { utterance = Utterance() }
    if let hypothesis = utterance.anticipated { return hypothesis }
    return try hypothesis(text(isFinal: true))
  }

  /// Whether there are enough new samples for another decode.
  ///
  /// The required number grows with the utterance, because a longer utterance takes longer to
  /// decode.
  private func isDue(_ count: Int, after last: Int) -> Bool { (count - last) * 8 >= count }

  /// Decodes the utterance so far on another thread, which an interruption abandons.
  ///
  /// A short window makes the decode several times faster. A doubtful final text is decoded again
  /// with the whole window.
  private func text(isFinal: Bool) throws(SpeechEngineError) -> WhisperText {
    try interruption.check()
    guard utterance.samples.contains(where: { $0 != 0 }) else { return WhisperText() }
    let (samples, task, flag) = (utterance.samples, task, interruption)
    return try interruption.runAbandonable(with: state) { state throws(SpeechEngineError) in
      let decode = { (window: Int) throws(SpeechEngineError) -> WhisperText in
        try state.text(of: samples, window: window, task: task) { () throws(SpeechEngineError) in
          try flag.check()
        }
      }
      let window = WhisperModel.window(for: samples.count)
      let text = try decode(window)
      guard isFinal, text.isDoubtful, window < WhisperModel.wholeWindow else { return text }
      return try text.orBetter(decode(WhisperModel.wholeWindow))
    }
  }

  private func hypothesis(_ text: WhisperText) -> SpeechHypothesis {
    var hypothesis = SpeechHypothesis(words: text.words(model.bytes))
    let places = SpeechHypothesis.Word.spread(
      hypothesis.words.map(\.text), over: utterance.voice.frames)
    for (index, place) in places.enumerated() { hypothesis.words[index].frames = place.frames }
    revision += 1
    hypothesis.revision = revision
    hypothesis.hasEstimatedTimes = true
    hypothesis.probability = text.probability
    if task.language == nil, let language = text.language, !hypothesis.words.isEmpty {
      hypothesis.language = SpokenLanguage(
        WhisperLanguage.tags[language.index], probability: language.probability)
    }
    return hypothesis
  }
}

extension WhisperModel {
  /// Returns the index of the language to recognize; nil to detect it, and for an English model.
  ///
  /// - Throws: `.languageMissing`.
  fileprivate func index(of language: String?) throws(SpeechEngineError) -> Int? {
    guard let language, WhisperLanguage.isNamed(language) else { return nil }
    guard let index = WhisperLanguage.code(for: language) else {
      throw WhisperLanguage.missing(language)
    }
    if !isMultilingual {
      guard index == 0 else { throw .languageMissing(wanted: language, available: "en") }
      return nil
    }
    guard index < languageCount else { throw WhisperLanguage.missing(language) }
    return index
  }

  /// Returns the tokens with which the model expects the phrases; none without phrases.
  fileprivate func prompt(_ phrases: [String]) -> [Token] {
    // libwhisper's tokenizer recurses for each character of a word, so long words would exhaust the
    // thread's stack.
    let phrases = phrases.lazy.map { phrase in
      phrase.split(whereSeparator: \.isWhitespace).filter { $0.utf8.count <= 200 }
        .joined(separator: " ")
    }
    var text = ""
    for phrase in phrases where !phrase.isEmpty && text.utf8.count + phrase.utf8.count < 1_000 {
      text += text.isEmpty ? " \(phrase)" : ", \(phrase)"
    }
    guard !text.isEmpty else { return [] }
    return [previous] + tokens(of: text + ".", atMost: WhisperState.longestPrompt)
  }
}

extension SpeechSessionOptions {
  /// Throws for options that the engine does not support.
  fileprivate func checkForWhisper(_ model: WhisperModel) throws(SpeechEngineError) {
    let name = "Whisper"
    if !keyPhrases.isEmpty { throw .unsupported("key phrases; PocketSphinx does", engine: name) }
    if grammar != nil { throw .unsupported("grammars; Moonshine does", engine: name) }
    if alternativeCount > 0 { throw .unsupported("alternatives; Moonshine does", engine: name) }
    if translates, !model.isMultilingual {
      throw .unsupported("translation with an English model", engine: name)
    }
    if let option = engineOptions.keys.min() {
      throw .optionInvalid(name: option, reason: "Whisper has no options")
    }
  }
}
