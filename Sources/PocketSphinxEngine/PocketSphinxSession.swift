import AudioCore
import SpeechEngine

/// A decoder at work on one stream.
///
/// It listens before it searches: the mean of the cepstra must be known, so the first second and a
/// half of the stream's first utterance wait. Later utterances begin with the mean of those before.
final class PocketSphinxSession: SpeechEngineSession {
  private let decoder: Decoder
  private let pool: DecoderPool
  private let frontEnd: FrontEnd
  private var stream = StreamKnowledge()
  private var waiting: [Int16] = []
  private var spotting = PhraseSpotting()
  private var change = SpectralChange()
  private var tones = SteadyTones()
  private let alternativeCount: Int
  private let context: ContextualChoice
  private let interruption = InterruptionFlag()
  /// Whether an interruption left the decoder to the thread that ends its utterance.
  private var hasLeftDecoder = false

  init(
    decoder: Decoder, pool: DecoderPool, options: SpeechSessionOptions = SpeechSessionOptions()
  ) throws(SpeechEngineError) {
    frontEnd = try decoder.makeFrontEnd()
    alternativeCount = options.alternativeCount
    context = ContextualChoice(options.contextualPhrases)
    self.decoder = decoder
    self.pool = pool
  }

  deinit {
    if !hasLeftDecoder { pool.giveBack(decoder) }
  }

  var hypothesis: SpeechHypothesis {
    guard stream.schedule.isSearching else { return SpeechHypothesis() }
    if isSpotting { return SpeechHypothesis(words: spotting.phrases) }
    return SpeechHypothesis(
      words: change.hasChanged && tones.canBeSpeech ? decoder.words : [])
  }

  /// Ends a call between two tenths of a second of audio, and leaves the second search of the utterance
  /// to its own thread.
  var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

  /// PocketSphinx tells a phrase a tenth of a second after its end.
  var tailPadding: Duration { isSpotting ? .milliseconds(300) : .zero }

  func beginUtterance() throws(SpeechEngineError) {
    try interruption.check()
    stream.beginUtterance()
    waiting = []
    spotting = PhraseSpotting()
    change = SpectralChange()
    tones = SteadyTones()
    frontEnd.begin()
    try decoder.begin()
  }

  func beginUtterance(knowing knowledge: any Sendable) throws(SpeechEngineError) {
    guard let knowledge = knowledge as? StreamKnowledge else {
      throw .failed(reason: "what is known of the stream comes from another engine")
    }
    stream = knowledge
    try beginUtterance()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    try interruption.check()
    let samples = samples.inSixteenBits
    waiting += samples
    change.add(samples)
    tones.add(samples)
    let action = stream.add(samples, with: frontEnd) { change.add(frontEnd.unscaled($0)) }
    switch action {
    case .wait: return
    case .search: try search()
    case .setMeanAndSearch: try setMeanAndSearch()
    }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if !stream.schedule.isSearching { try setMeanAndSearch() }
    if isSpotting { try spot(settling: 0) }
    let wantsWords = !isSpotting && change.canBeSpeech && tones.canBeSpeech
    let (alternativeCount, context) = (alternativeCount, context)
    hasLeftDecoder = true
    // `ps_end_utt` searches the utterance once more, which takes 1.3 s for 15 s of speech.
    let hypothesis = try interruption.leaving(decoder) { decoder throws(SpeechEngineError) in
      try decoder.end()
      guard wantsWords else { return SpeechHypothesis() }
      return decoder.hypothesis(alternativeCount: alternativeCount, context: context)
    }
    hasLeftDecoder = false
    return isSpotting ? SpeechHypothesis(words: spotting.phrases) : hypothesis
  }

  private var isSpotting: Bool { decoder.current.isKeyPhrases }

  private func setMeanAndSearch() throws(SpeechEngineError) {
    if let value = stream.mean.value { decoder.setCepstralMean(value) }
    try search()
  }

  private func search() throws(SpeechEngineError) {
    try decoder.search(waiting, until: interruption)
    if isSpotting {
      spotting.heard(waiting)
      try spot(settling: PhraseSpotting.settling)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Takes the phrases that have been heard; what came after each is heard anew.
  private func spot(settling: FrameCount) throws(SpeechEngineError) {
    while let rest = spotting.take(decoder.words, settling: settling) {
      try decoder.end()
      try decoder.begin()
      if let value = stream.mean.value { decoder.setCepstralMean(value) }
      try decoder.search(rest, until: interruption)
      spotting.heard(rest)
    }
  }
}

extension Decoder {
  /// The best words, and as many other readings as are wanted.
  fileprivate func hypothesis(alternativeCount: Int, context: ContextualChoice) -> SpeechHypothesis
  {
    let best = words
    guard alternativeCount > 0 || !context.isNone, !best.isEmpty else {
      return SpeechHypothesis(words: best)
    }
    // Two more than are wanted, because the best and the chosen one are among them.
    let breadth = max(alternativeCount + 2, context.isNone ? 0 : ContextualChoice.breadth)
    let readings = readings(atMost: breadth)
    let chosen = context.choose(best, among: readings)
    var texts: Set = [chosen.map(\.text)]
    let others = ([best] + readings.map(\.words)).filter {
      texts.insert($0.map(\.text)).inserted
    }
    return SpeechHypothesis(words: chosen, alternatives: Array(others.prefix(alternativeCount)))
  }
}
