/// A phrase to listen for in running speech.
public struct KeyPhrase: Hashable, Sendable {
  /// Its words, with a space between them.
  public var text: String

  /// How likely the phrase must be before it counts as heard; nil for the engine's own choice.
  ///
  /// Above 0 and at most 1: the smaller, the more is found, and the more of it wrongly. The scale
  /// is the engine's.
  public var threshold: Double?

  /// A phrase, with the engine's own threshold unless another is given.
  public init(_ text: String, threshold: Double? = nil) {
    self.text = text
    self.threshold = threshold
  }
}
