public import AudioCore

/// What an engine takes an utterance for: words in order, without markers for silence and noise.
public struct SpeechHypothesis: Equatable, Sendable {
  /// The words, as the model spells them; none where the engine heard no speech.
  public var words: [Word]

  /// Further readings of the whole utterance, the likelier first, each different from `words` and
  /// from the others; at most as many as were asked for, and none before the utterance ends.
  public var alternatives: [[Word]]

  /// A hypothesis from its words, and from further readings where there are any.
  public init(words: [Word] = [], alternatives: [[Word]] = []) {
    self.words = words
    self.alternatives = alternatives
  }

  /// One word and where it was heard.
  public struct Word: Equatable, Sendable {
    /// The word.
    public var text: String
    /// Its frames at 16 kHz, counted from the first sample of the utterance.
    public var frames: Range<FrameCount>
    /// How sure the engine is, 0…1; nil where it cannot say, as in most partial hypotheses.
    public var confidence: Double?

    /// A word and its place; its confidence only where the engine means it.
    public init(_ text: String, frames: Range<FrameCount>, confidence: Double? = nil) {
      self.text = text
      self.frames = frames
      self.confidence = confidence
    }
  }
}
