import AudioCore
import SpeechEngine

/// A session that recognizes utterances with a decoder.
///
/// The search needs the cepstral mean, so it starts after the first 1.5 s of an utterance.
final class PocketSphinxSession: SpeechEngineSession {
  private let decoder: Decoder
  private let pool: DecoderPool
  private let frontEnd: FrontEnd
  private var mean = UtteranceMean()
  private var waiting: [Int16] = []
  private var spotting = PhraseSpotting()
  private var change = SpectralChangeDetector()
  private var tones = SteadyToneDetector()
  private let alternativeCount: Int
  private let context: ContextualChoice
  private let interruption = InterruptionFlag()
  /// Whether another thread still uses the decoder after an interruption, so that the decoder must
  /// not return to the pool.
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
    guard mean.isSearching else { return SpeechHypothesis() }
    if isSpotting { return SpeechHypothesis(words: spotting.phrases) }
    return SpeechHypothesis(
      words: change.hasChanged && tones.canBeSpeech ? decoder.words : [])
  }

  /// Interrupts the session.
  ///
  /// `process` stops within a tenth of a second. If the second pass of `finishUtterance`
  /// has begun, it is abandoned and finishes on its own thread.
  var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

  /// With key phrases, utterances need trailing silence, because PocketSphinx reports a phrase a
  /// tenth of a second after its end.
  var traits: SpeechSessionTraits {
    SpeechSessionTraits(tailPadding: isSpotting ? .milliseconds(300) : .zero)
  }

  func beginUtterance() throws(SpeechEngineError) {
    try interruption.check()
    mean = UtteranceMean()
    waiting = []
    spotting = PhraseSpotting()
    change = SpectralChangeDetector()
    tones = SteadyToneDetector()
    frontEnd.begin()
    try decoder.begin()
  }

  func process(_ samples: [Float]) throws(SpeechEngineError) {
    try interruption.check()
    let samples = samples.inSixteenBits
    waiting += samples
    change.add(samples)
    tones.add(samples)
    frontEnd.process(samples) { cepstrum in
      mean.add(cepstrum)
      change.add(frontEnd.unscaled(cepstrum))
    }
    if mean.isDue(after: FrameCount(samples.count)) { setMean() }
    if mean.isSearching { try search() }
  }

  func finishUtterance() throws(SpeechEngineError) -> SpeechHypothesis {
    if !mean.isSearching {
      setMean()
      try search()
    }
    if isSpotting { try spot(settling: 0) }
    let wantsWords = !isSpotting && change.canBeSpeech && tones.canBeSpeech
    let (alternativeCount, context) = (alternativeCount, context)
    hasLeftDecoder = true
    // `ps_end_utt` makes a second pass over the utterance (1.3 s for 15 s of speech), so the call
    // can be abandoned.
    let hypothesis = try interruption.runAbandonable(with: decoder) {
      decoder throws(SpeechEngineError) in
      try decoder.end()
      guard wantsWords else { return SpeechHypothesis() }
      return decoder.hypothesis(alternativeCount: alternativeCount, context: context)
    }
    hasLeftDecoder = false
    return isSpotting ? SpeechHypothesis(words: spotting.phrases) : hypothesis
  }

  private var isSpotting: Bool { decoder.current.isKeyPhrases }

  private func setMean() {
    decoder.setCepstralMean(mean.value ?? UtteranceMean.usual)
  }

  private func search() throws(SpeechEngineError) {
    try decoder.search(waiting, until: interruption)
    if isSpotting {
      spotting.add(waiting)
      try spot(settling: PhraseSpotting.settling)
    }
    waiting.removeAll(keepingCapacity: true)
  }

  /// Collects the recognized phrases; after each phrase, restarts the search with the remaining
  /// audio.
  private func spot(settling: FrameCount) throws(SpeechEngineError) {
    while let rest = spotting.process(decoder.words, settling: settling) {
      try decoder.end()
      try decoder.begin()
      setMean()
      try decoder.search(rest, until: interruption)
      spotting.add(rest)
    }
  }
}

extension Decoder {
  /// Returns the best words and the requested number of alternatives.
  fileprivate func hypothesis(
    alternativeCount: Int, context: ContextualChoice
  ) -> SpeechHypothesis {
    let best = words
    guard alternativeCount > 0 || !context.isNone, !best.isEmpty else {
      return SpeechHypothesis(words: best)
    }
    // Two entries of the list may be the best words and the chosen words, which are not
    // alternatives, so two more entries are requested.
    let breadth = max(alternativeCount + 2, context.isNone ? 0 : ContextualChoice.breadth)
    let alternatives = alternatives(atMost: breadth)
    // The words are chosen among a fixed number of entries, so that they do not depend on
    // `alternativeCount`.
    let chosen = context.choose(best, among: alternatives.prefix(ContextualChoice.breadth))
    var texts: Set = [chosen.map(\.text)]
    let others = ([best] + alternatives.map(\.words)).filter {
      texts.insert($0.map(\.text)).inserted
    }
    return SpeechHypothesis(words: chosen, alternatives: Array(others.prefix(alternativeCount)))
  }
}

/// Collects the key phrases of an utterance, and the samples since the last phrase.
///
/// The search restarts after each phrase, because otherwise PocketSphinx would report the phrase
/// again.
struct PhraseSpotting {
  typealias Word = SpeechHypothesis.Word

  /// The amount of audio that must follow a phrase before its end is final.
  ///
  /// Until then, PocketSphinx may move the end.
  static let settling = FrameCount(.milliseconds(300), at: .speech)

  /// The phrases in order, with positions relative to the utterance.
  private(set) var phrases: [Word] = []

  private var begin: FrameCount = 0
  private var samples: [Int16] = []

  /// Adds samples that PocketSphinx has received.
  mutating func add(_ more: [Int16]) {
    samples += more
  }

  /// Records the first reported phrase that is followed by at least `settling` of audio.
  ///
  /// If phrases overlap, the first is used.
  ///
  /// - Returns: the samples after the phrase, to search again; nil if there is no phrase.
  mutating func process(_ reported: [Word], settling: FrameCount) -> [Int16]? {
    let settled = reported.filter { $0.frames.upperBound + settling <= FrameCount(samples.count) }
    let candidates = settling == 0 ? reported : settled
    guard let first = candidates.min(by: { $0.frames.lowerBound < $1.frames.lowerBound }) else {
      return nil
    }
    let length = min(first.frames.upperBound, FrameCount(samples.count))
    let frames = (begin + first.frames.lowerBound)..<(begin + max(length, first.frames.lowerBound))
    phrases.append(Word(first.text, frames: frames))
    begin = begin + length
    samples.removeFirst(length.rawValue)
    defer { samples = [] }
    return samples
  }
}

/// Chooses from the n-best list in favor of phrases that are likely to be spoken.
///
/// Measured on 128 words with 39 errors: 28 errors remain if every spoken word pair is a phrase,
/// and 45 if the phrases come from other recordings.
struct ContextualChoice {
  /// The length of the n-best list to choose from.
  static let breadth = 50
  /// The score that each word of a phrase adds.
  static let bonus: Int32 = 100

  private let phrases: [[String]]

  /// Creates a choice in favor of these phrases; words are compared in lowercase, the spelling of
  /// the model.
  init(_ phrases: [String]) {
    self.phrases = phrases.map { phrase in
      phrase.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }.filter { !$0.isEmpty }
  }

  var isNone: Bool { phrases.isEmpty }

  /// Returns the best words, or the words of an alternative that is almost as likely and contains
  /// more words of the phrases.
  func choose(
    _ best: [SpeechHypothesis.Word], among alternatives: some Sequence<Decoder.Alternative>
  ) -> [SpeechHypothesis.Word] {
    let bestHits = hits(in: best)
    let texts = best.map(\.text)
    let bestScore = alternatives.first { $0.words.map(\.text) == texts }?.score
    guard let top = alternatives.map(\.score).max() else { return best }
    let mark = worth(bestScore ?? top, bestHits)
    let better = alternatives.map { ($0, hits(in: $0.words)) }
      .filter { $0.1 > bestHits }
      .map { ($0.0, worth($0.0.score, $0.1)) }
      .max { $0.1 < $1.1 }
    guard let (alternative, value) = better, value >= mark else { return best }
    // The words of an alternative have no confidence. A word that is also among the best words is
    // returned as that best word, with its confidence.
    return alternative.words.map { word in
      best.first { $0.text == word.text && $0.frames.overlaps(word.frames) } ?? word
    }
  }

  private func worth(_ score: Int32, _ hits: Int) -> Int { Int(score) + hits * Int(Self.bonus) }

  /// Returns the number of words that belong to phrases.
  private func hits(in words: [SpeechHypothesis.Word]) -> Int {
    let texts = words.map { $0.text.lowercased() }
    return phrases.reduce(0) { $0 + $1.count * occurrences(of: $1, in: texts) }
  }

  private func occurrences(of phrase: [String], in texts: [String]) -> Int {
    guard texts.count >= phrase.count else { return 0 }
    return (0...(texts.count - phrase.count)).count { texts[$0...].starts(with: phrase) }
  }
}
