/// A phrase to detect in running speech.
public struct KeyPhrase: Hashable, Sendable {
  /// Its words, with a space between them.
  public var text: String

  /// The minimum likelihood of the phrase; nil for the engine's default.
  ///
  /// Above 0 and at most 1; lower values find more phrases, with more false positives. The scale is
  /// the engine's.
  public var threshold: Double?

  /// A phrase, with the engine's own threshold unless another is given.
  public init(_ text: String, threshold: Double? = nil) {
    self.text = text
    self.threshold = threshold
  }
}
