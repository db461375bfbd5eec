public import AudioCore

/// The words that an engine recognized in an utterance, in order, without markers for silence and
/// noise.
public struct SpeechHypothesis: Equatable, Sendable {
  /// The words, as the model spells them; none if the engine found no speech.
  public var words: [Word]

  /// Alternatives for the whole utterance, the likeliest first; none before the utterance ends.
  ///
  /// There are at most as many as were requested. Each differs from `words` and from the others.
  public var alternatives: [[Word]]

  /// The number of the decode that produced the words; reading the same decode again returns the
  /// same number.
  ///
  /// Nil if the engine does not number its decodes.
  public var revision: Int?

  /// The probability that the engine's model assigns to the whole text, 0…1; nil if the engine
  /// reports none.
  ///
  /// If an engine mistakes noise for speech, the text is improbable.
  public var probability: Double?

  /// Below this probability, an engine decodes a text again, and a short text is accepted only if
  /// the detector is certain of speech.
  ///
  /// With Moonshine, two utterances of 87 recordings are below it.
  package static let doubtfulProbability = 0.6

  /// The minimum probability of a text of more than three words.
  ///
  /// If the text is less probable, only its words with a high enough confidence are accepted.
  ///
  /// Measured with Moonshine on 14 recordings, clean and in white noise down to -3 dB: texts with
  /// at least one correct word have a geometric mean of at least 0.37. Most recordings that are
  /// played backwards have a lower mean.
  package static let leastProbability = 0.35

  /// Whether the words' frames are estimated from the lengths of the words, not measured.
  public var hasEstimatedTimes = false

  /// The language that the engine detected; nil if it was requested, or if the engine detects none.
  public var language: SpokenLanguage?

  /// Creates a hypothesis from its words and alternatives.
  public init(words: [Word] = [], alternatives: [[Word]] = []) {
    self.words = words
    self.alternatives = alternatives
  }

  /// A word with its frames.
  public struct Word: Equatable, Sendable {
    /// The word.
    public var text: String
    /// The word's frames at 16 kHz, counted from the first sample of the utterance.
    public var frames: Range<FrameCount>
    /// The confidence, 0…1; nil if the engine reports none, as in most partial hypotheses.
    public var confidence: Double?

    /// Creates a word with its frames, and with a confidence if the engine reports one.
    public init(_ text: String, frames: Range<FrameCount>, confidence: Double? = nil) {
      self.text = text
      self.frames = frames
      self.confidence = confidence
    }
  }
}

extension SpeechHypothesis.Word {
  /// The maximum duration of a word, so that a few words in a long span keep plausible lengths.
  private static let longest = FrameCount(.seconds(1), at: .speech)

  /// Spreads words without times over a span, one after another, each in proportion to its length.
  package static func spread(_ texts: [String], over span: Range<FrameCount>) -> [Self] {
    let weights = texts.map { $0.count + 1 }
    let total = max(1, weights.reduce(0, +))
    let length = (span.upperBound - span.lowerBound).rawValue
    var before = 0
    return zip(texts, weights).map { text, weight in
      let begin = span.lowerBound + FrameCount(length * before / total)
      before += weight
      let end = span.lowerBound + FrameCount(length * before / total)
      return Self(text, frames: begin..<min(end, begin + longest))
    }
  }
}
