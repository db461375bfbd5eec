public import AudioCore

/// What an engine recognized in an utterance: words in order, without markers for silence and noise.
public struct SpeechHypothesis: Equatable, Sendable {
  /// The words, as the model spells them; none if the engine found no speech.
  public var words: [Word]

  /// Alternatives for the whole utterance, the likeliest first, each different from `words` and
  /// from the others; at most as many as were requested, and none before the utterance ends.
  public var alternatives: [[Word]]

  /// Which decode the words come from: a decode that is read again has the same number.
  ///
  /// Nil if each alternative is decoded separately.
  public var revision: Int?

  /// The probability that the engine's model gives the whole text, 0…1; nil if the engine reports none.
  ///
  /// A text that an engine invents for a noise is improbable.
  public var probability: Double?

  /// An engine decodes a text below this probability again; so improbable a text of few words needs a
  /// detector that is sure of speech.
  ///
  /// Of the utterances of 87 recordings, two are below it with Moonshine.
  package static let doubtfulProbability = 0.6

  /// Only the probable words of a longer text below this probability count.
  ///
  /// Measured with Moonshine on 14 recordings, clean and in white noise down to -3 dB: texts with at
  /// least one right word have a geometric mean of at least 0.37; most recordings played backwards have
  /// a lower one.
  package static let leastProbability = 0.35

  /// Whether the words' frames are estimated from the lengths of the words, not measured.
  public var hasEstimatedTimes = false

  /// A hypothesis from its words and other readings.
  public init(words: [Word] = [], alternatives: [[Word]] = []) {
    self.words = words
    self.alternatives = alternatives
  }

  /// A word with its frames.
  public struct Word: Equatable, Sendable {
    /// The word.
    public var text: String
    /// Its frames at 16 kHz, counted from the first sample of the utterance.
    public var frames: Range<FrameCount>
    /// The confidence, 0…1; nil if the engine has none, as in most partial hypotheses.
    public var confidence: Double?

    /// A word and its place; its confidence only if the engine has one.
    public init(_ text: String, frames: Range<FrameCount>, confidence: Double? = nil) {
      self.text = text
      self.frames = frames
      self.confidence = confidence
    }
  }
}

extension SpeechHypothesis.Word {
  /// No word is taken to last longer, so that few words in a long span stay words.
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
