import AudioCore
import Logging
import ONNXRuntime
import PocketSphinxEngine
import SpeechEngine

/// A session that collects each utterance and decodes it as a whole.
final class MoonshineSession: SpeechEngineSession {
  /// The shortest unfinished utterance that is decoded, because text from less audio is a guess.
  private static let leastPartial = FrameCount(.milliseconds(900), at: .speech)
  /// The longest utterance that is accepted: twice the length that `traits` requests.
  private static let longest = FrameCount(.seconds(40), at: .speech)
  /// The duration of silence that is appended to an utterance.
  ///
  /// The silence makes the model surer of the last words. Measured on 87 recordings (847 words),
  /// transcribed as files: 28 words are wrong with 0.25 s, and 30 with 0.5 s. Partial results get
  /// the same silence; otherwise, they contradict the final text more often.
  private static let padding = Duration.milliseconds(250)
  /// The silence that is appended for the second decode of a doubtful text.
  private static let longPadding = Duration.seconds(1)
  /// The number of texts that the beam search follows at a time.
  private static let width = 4
  /// The search drops a text if its log probability is lower than that of the best text by more
  /// than this margin.
  ///
  /// On 87 recordings, margins from 2 to 5 give the same texts as no margin.
  private static let margin: Float = 2

  private static let log = Logger(label: "syrinx.moonshine")

  private let model: MoonshineModel
  private let language: String
  private let alignment: WordAlignment
  private let run: ONNXRun
  private let guide: TokenGuide
  private let alternativeCount: Int
  private let measuresWordTimes: Bool
  private let wantsPartialHypotheses: Bool
  private var utterance = Utterance()
  private var revision = 0

  /// The audio of the utterance so far, and the results of its decodes.
  private struct Utterance {
    var samples: [Float] = []
    var voice = VoicedSpan()
    /// The text of the last decode, which the next decode verifies.
    var draft: [Token] = []
    /// The last partial hypothesis and the number of samples that it was decoded from.
    var partial: (hypothesis: SpeechHypothesis, count: Int)?
    /// The hypothesis of an early decode, in a pause.
    var anticipated: SpeechHypothesis?
    /// Whether the utterance needs measured word times, even if the options permit estimates.
    var measuresWordTimes = false
  }

  /// Creates a session; `language` is the spoken language, used if the model's folder names no
  /// language.
  ///
  /// - Throws: `.unsupported`, `.optionInvalid`, `.grammarInvalid`.
  init(
    model: MoonshineModel, language: String?, alignment: WordAlignment,
    options: SpeechSessionOptions
  ) throws(SpeechEngineError) {
    try options.checkForMoonshine()
    guide = try TokenGuide(options)
    alternativeCount = options.alternativeCount
    measuresWordTimes = options.measuresWordTimes
    wantsPartialHypotheses = options.wantsPartialHypotheses
    run = try SpeechEngineError.during { () throws(ONNXError) in try ONNXRun(in: model.library) }
    (self.model, self.alignment) = (model, alignment)
    let own = model.files.language
    self.language = own == LanguageTag.unknown ? language ?? own : own
  }

  var interrupt: @Sendable () -> Void { { [run] in run.terminate() } }

  var traits: SpeechSessionTraits {
    var traits = SpeechSessionTraits(decodeInterval: .milliseconds(300))
    traits.utteranceLength = .zero ... .seconds(20)
    traits.survivesFailure = true
    return traits
  }

  /// Measures in advance whether partial texts can serve as drafts of final decodes.
  ///
  /// Does nothing if no partial results are wanted.
  func prepare() throws(SpeechEngineError) {
    if wantsPartialHypotheses { _ = try model.isExact(as: run) }
  }

  func beginUtterance() throws(SpeechEngineError) {
    try checkInterruption()
    utterance = Utterance()
    // Partial results imply a live source, so the aligner is loaded while audio arrives, not after
    // the end.
    if wantsPartialHypotheses, measuresWordTimes { alignment.prepare(language: language) }
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    try checkInterruption()
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
      try checkInterruption()
      if let anticipated = utterance.anticipated { return anticipated }
      let count = utterance.samples.count
      if let partial = utterance.partial, !isDue(count, after: partial.count) {
        return partial.hypothesis
      }
      guard count >= Self.leastPartial.rawValue else { return SpeechHypothesis() }
      let hypothesis = try hypothesis(partialText(), areTimesMeasured: false)
      utterance.partial = (hypothesis, count)
      return hypothesis
    }
  }

  func anticipateEnd() throws(SpeechEngineError) {
    utterance.anticipated = nil
    utterance.anticipated = try final()
  }

  func measureWordTimes() {
    utterance.measuresWordTimes = true
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    try checkInterruption()
    defer { utterance = Utterance() }
    if let hypothesis = utterance.anticipated { return hypothesis }
    return try final()
  }

  private func checkInterruption() throws(SpeechEngineError) {
    if run.isTerminated { throw .interrupted }
  }

  /// Whether there are enough new samples for another decode.
  ///
  /// The required number grows with the utterance, because a longer utterance takes longer to
  /// decode: the cost per second of speech stays below a limit.
  private func isDue(_ count: Int, after last: Int) -> Bool {
    (count - last) * 40 >= count
  }

  private func final() throws(SpeechEngineError) -> SpeechHypothesis {
    try checkInterruption()
    let audio = try encoded(padding: Self.padding)
    var best = try bestText(of: audio)
    if !guide.isGrammar, best.probability < SpeechHypothesis.doubtfulProbability {
      let padded = try encoded(padding: Self.longPadding)
      let other = try bestText(of: padded, width: 2 * Self.width)
      if other.probability > best.probability { best = other }
    }
    let alternatives = try alternatives(in: audio)
    let areMeasured = measuresWordTimes || utterance.measuresWordTimes
    // Releases the decoder's memory, because the word times need memory for PocketSphinx's acoustic
    // model.
    if areMeasured { model.rest() }
    return try hypothesis(best, alternatives: alternatives, areTimesMeasured: areMeasured)
  }

  /// Returns the likeliest text; with contextual phrases, the likeliest text that is also probable
  /// without their bonus.
  private func bestText(
    of audio: EncodedUtterance, width: Int = MoonshineSession.width
  ) throws(SpeechEngineError) -> DecodedText {
    var draft: [Token] = []
    if case .none = guide {
      // A final text must not depend on partial texts, so a draft is used only if it cannot change
      // the text.
      if !utterance.draft.isEmpty, try model.isExact(as: run) { draft = utterance.draft }
      let text = try search(in: audio, width: 1).texts(draft: draft).first ?? DecodedText()
      if model.tokenizer.words(of: text).areSure { return text }
      draft = text.tokens
    }
    let texts = try search(in: audio, width: width).texts(
      guide.mostBonus > 0 ? width : 1, draft: draft)
    let probable = texts.first { $0.probability >= SpeechHypothesis.leastProbability }
    let text = probable ?? texts.first ?? DecodedText()
    let words = model.tokenizer.words(of: text)
    guard guide.mostBonus > 0, words.haveImprobableWord,
      let plain = try search(in: audio, width: width, isGuided: false).texts().first
    else { return text }
    return words.areForced(over: model.tokenizer.words(of: plain)) ? plain : text
  }

  /// Decodes the text so far, with the text of the previous decode as the draft.
  private func partialText() throws(SpeechEngineError) -> DecodedText {
    try checkInterruption()
    let audio = try encoded(padding: Self.padding)
    let text = try search(in: audio, width: 1).texts(draft: utterance.draft).first
    guard let text, guide.isGrammar || text.probability >= SpeechHypothesis.leastProbability else {
      return DecodedText()
    }
    utterance.draft = text.tokens
    return text
  }

  /// Returns the texts of a separate search, the likeliest first; none if no alternatives are
  /// requested.
  ///
  /// Because the search is separate, the number of alternatives does not affect the best text.
  private func alternatives(in audio: EncodedUtterance) throws(SpeechEngineError) -> [DecodedText] {
    guard alternativeCount > 0 else { return [] }
    // The search follows more texts than requested, because the likeliest texts do not always have
    // the likeliest beginnings.
    return try search(in: audio, width: alternativeCount + 3, margin: .infinity)
      .texts(alternativeCount + 1)
  }

  private func search(
    in audio: EncodedUtterance, width: Int, margin: Float = MoonshineSession.margin,
    isGuided: Bool = true
  ) -> TokenSearch<EncodedUtterance> {
    TokenSearch(
      model: audio, tokenizer: model.tokenizer,
      limits: TextLimits(of: audio.length, language: language), guide: isGuided ? guide : .none,
      width: width,
      margin: guide.isGrammar ? .infinity : margin)
  }

  /// Encodes the utterance so far, followed by silence.
  private func encoded(padding: Duration) throws(SpeechEngineError) -> EncodedUtterance {
    try model.encode(
      withoutLongSilences(utterance.samples), followedBy: FrameCount(padding, at: .speech),
      isLive: wantsPartialHypotheses, as: run)
  }

  /// Returns the words of a text; none if it is not a sentence of the grammar.
  private func words(of text: DecodedText) -> [DecodedWord] {
    let words = model.tokenizer.words(of: text)
    return guide.isGrammar && !text.isSentence ? [] : words
  }

  /// Returns a hypothesis; if `areTimesMeasured` is true, its word times are measured instead of
  /// estimated.
  private func hypothesis(
    _ best: DecodedText, alternatives: [DecodedText] = [], areTimesMeasured: Bool
  ) throws(SpeechEngineError) -> SpeechHypothesis {
    let words = words(of: best)
    let (placed, areMeasured) = try placed(words, areMeasured: areTimesMeasured)
    var hypothesis = SpeechHypothesis(words: placed)
    if !words.isEmpty {
      var seen: Set<[String]> = [[], words.map(\.text)]
      let others = alternatives.map(self.words).filter { seen.insert($0.map(\.text)).inserted }
      hypothesis.alternatives = try others.prefix(alternativeCount).map {
        words throws(SpeechEngineError) in try self.placed(words, areMeasured: areMeasured).words
      }
    }
    revision += 1
    hypothesis.revision = revision
    hypothesis.hasEstimatedTimes = !areMeasured
    hypothesis.probability = guide.isGrammar ? nil : best.probability
    return hypothesis
  }

  /// Returns the words with their frames: measured if `areMeasured` is true and the alignment
  /// succeeds, and otherwise estimated.
  private func placed(
    _ words: [DecodedWord], areMeasured: Bool
  ) throws(SpeechEngineError) -> (words: [SpeechHypothesis.Word], areMeasured: Bool) {
    if areMeasured, let places = try places(of: words) {
      return (words.placed(at: places, in: utterance.voice), true)
    }
    return (words.spread(over: utterance.voice.frames), false)
  }

  /// Returns the measured frames of the words; nil if they cannot be measured.
  private func places(
    of words: [DecodedWord]
  ) throws(SpeechEngineError) -> [Range<FrameCount>?]? {
    do throws(SpeechEngineError) {
      return try alignment.places(
        of: words.map(\.text), in: utterance.samples, language: language
      ) { [run] in !run.isTerminated }
    } catch {
      if error == .interrupted { throw error }
      Self.log.debug("Times of words are estimated: \(error)")
      return nil
    }
  }
}

extension SpeechSessionOptions {
  /// Throws for options that the engine does not support.
  fileprivate func checkForMoonshine() throws(SpeechEngineError) {
    if !keyPhrases.isEmpty {
      throw .unsupported("key phrases; PocketSphinx does", engine: "Moonshine")
    }
    if let name = engineOptions.keys.min() {
      throw .optionInvalid(name: name, reason: "Moonshine has no options")
    }
  }
}
