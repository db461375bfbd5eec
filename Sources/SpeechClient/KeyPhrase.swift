/// A phrase to listen for in running speech.
public struct KeyPhrase: Hashable, Sendable {
  /// Its words, with a space between them.
  public var text: String

  /// How likely the phrase must be to count as recognized; nil for the engine's own choice.
  ///
  /// Above 0 and at most 1: with a smaller one more is found, and more of it wrongly. The scale is
  /// the engine's.
  public var threshold: Double?

  /// A phrase, with the engine's own threshold unless another is given.
  public init(_ text: String, threshold: Double? = nil) {
    self.text = text
    self.threshold = threshold
  }
}
