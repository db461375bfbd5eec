import AudioCore
import Logging
import ONNXRuntime
import PocketSphinxEngine
import SpeechEngine

/// A session that collects each utterance and decodes it as a whole.
final class MoonshineSession: SpeechEngineSession {
  /// The model only guesses at a shorter utterance that is still in progress.
  private static let leastPartial = FrameCount(.seconds(1), at: .speech)
  /// The longest utterance that is accepted: twice what the engine requests.
  private static let longest = FrameCount(
    MoonshineSession.utteranceLength.upperBound * 2, at: .speech)
  static let utteranceLength = Duration.zero ... .seconds(20)
  /// The number of texts that are followed at a time, unless only the likeliest is needed.
  private static let width = 4

  private static let log = Logger(label: "syrinx.moonshine")

  private let model: MoonshineModel
  private let language: String
  private let alignment: WordAlignment
  private let run: ONNXRun
  private let guide: TokenGuide
  private let alternativeCount: Int
  private let measuresWordTimes: Bool
  private let preparesAlignment: Bool
  private var utterance = Utterance()
  private var revision = 0

  /// The utterance so far: its audio, and what was decoded from it.
  private struct Utterance {
    var samples: [Float] = []
    var voice = VoicedSpan()
    /// The text of the last decode, which the next decode verifies.
    var draft: [Token] = []
    /// The last partial hypothesis and the number of samples that it was decoded from.
    var partial: (hypothesis: SpeechHypothesis, count: Int)?
    /// The hypothesis of an early decode, in a pause.
    var anticipated: SpeechHypothesis?
  }

  /// - Parameter language: the spoken language, if the model does not name its own.
  /// - Throws: `.unsupported`, `.optionInvalid`, `.grammarInvalid`.
  init(
    model: MoonshineModel, language: String?, alignment: WordAlignment,
    options: SpeechSessionOptions
  ) throws(SpeechEngineError) {
    try options.checkForMoonshine()
    guide = try TokenGuide(options)
    alternativeCount = options.alternativeCount
    measuresWordTimes = options.measuresWordTimes
    preparesAlignment = options.measuresWordTimes && options.wantsPartialHypotheses
    run = try SpeechEngineError.during { () throws(ONNXError) in try ONNXRun(in: model.library) }
    (self.model, self.alignment) = (model, alignment)
    let own = model.files.language
    self.language = own == LanguageTag.unknown ? language ?? own : own
  }

  var interrupt: @Sendable () -> Void { { [run] in run.terminate() } }

  func beginUtterance() throws(SpeechEngineError) {
    try checkInterruption()
    utterance = Utterance()
    // Partial results mean a live source: load the aligner while audio arrives, not after the end.
    if preparesAlignment { alignment.prepare(language: language) }
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
    // Only zeros follow if the pause continues; with speech comes the rest of the pause.
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
      let hypothesis = try hypothesis(readings(width: 1, count: 1), areTimesMeasured: false)
      utterance.partial = (hypothesis, count)
      return hypothesis
    }
  }

  func anticipateEnd() throws(SpeechEngineError) {
    utterance.anticipated = nil
    utterance.anticipated = try final()
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

  /// Whether enough samples are new for another decode.
  ///
  /// Longer utterances take longer to decode, so they need more: the cost of a second of speech stays
  /// below a limit.
  private func isDue(_ count: Int, after last: Int) -> Bool {
    (count - last) * 18 >= count
  }

  private func final() throws(SpeechEngineError) -> SpeechHypothesis {
    let count = alternativeCount + 1
    let isGuided = if case .none = guide { false } else { true }
    let width = max(isGuided ? Self.width : 1, alternativeCount > 0 ? count + 2 : 1)
    let readings = try readings(width: width, count: count)
    // Word alignment needs memory for its acoustic model.
    if measuresWordTimes { model.rest() }
    return try hypothesis(readings, areTimesMeasured: measuresWordTimes)
  }

  /// The likeliest alternatives of the utterance; none if they are not plausible as speech.
  private func readings(width: Int, count: Int) throws(SpeechEngineError) -> [[DecodedWord]] {
    try checkInterruption()
    let samples = SpokenAudio.shortened(utterance.samples)
    let search = TokenSearch(
      model: try model.encode(samples, as: run), tokenizer: model.tokenizer,
      limits: TextLimits(of: FrameCount(samples.count), language: language),
      guide: guide, width: width)
    let texts = try search.texts(count, draft: utterance.draft)
    utterance.draft = texts.first?.tokens ?? []
    guard let best = texts.first, isPlausible(best) else { return [] }
    var seen: Set<[String]> = [[]]
    return texts.map { model.tokenizer.words(of: $0) }
      .filter { seen.insert($0.map(\.text)).inserted }
  }

  private func isPlausible(_ text: DecodedText) -> Bool {
    let limits = guide.isGrammar ? TextPlausibility.ofSentences : TextPlausibility.ofTexts
    return limits.allow(text.logProbabilities)
  }

  /// - Parameter areTimesMeasured: whether word times are measured instead of estimated.
  private func hypothesis(
    _ readings: [[DecodedWord]], areTimesMeasured: Bool
  ) throws(SpeechEngineError) -> SpeechHypothesis {
    var areMeasured = areTimesMeasured
    let placed = try readings.map { words throws(SpeechEngineError) in
      if areMeasured, let places = try places(of: words) {
        return WordTimes.measured(words, at: places, in: utterance.voice)
      }
      areMeasured = false
      return WordTimes.estimated(words, over: utterance.voice.frames)
    }
    revision += 1
    var hypothesis = SpeechHypothesis(
      words: placed.first ?? [], alternatives: Array(placed.dropFirst().prefix(alternativeCount)))
    hypothesis.revision = revision
    hypothesis.hasEstimatedTimes = !areMeasured
    return hypothesis
  }

  /// The frames of the words; nil if they cannot be measured.
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
