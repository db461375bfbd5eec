/// How far a recognized text is from what was said, word by word.
///
/// Of all alignments of the two texts it takes one with the fewest errors, and among those one with
/// the most matches. Memory grows with the number of words, time with the product of both numbers.
public struct WordErrorRate: Hashable, Sendable {
  /// What became of the words, in order.
  public let alignment: [AlignedWord]

  /// Compares two texts, after both have been taken apart into words in the same way.
  public init(
    reference: String, hypothesis: String, normalisation: WordNormalisation = .spoken
  ) {
    self.init(
      reference: normalisation.words(of: reference),
      hypothesis: normalisation.words(of: hypothesis))
  }

  /// Compares words as they are; for a character or syllable error rate, give these as words.
  public init(reference: [String], hypothesis: [String]) {
    alignment = WordAligner(reference: reference, hypothesis: hypothesis).alignment
  }

  init(alignment: [AlignedWord]) {
    self.alignment = alignment
  }

  /// The errors for each word of the reference, from 0; it can exceed 1 where words were inserted.
  ///
  /// Nil if the reference has no words.
  public var rate: Double? {
    referenceCount > 0 ? Double(errorCount) / Double(referenceCount) : nil
  }

  /// Words of the reference that became another word.
  public var substitutions: Int { alignment.count { $0.kind == .substitution } }

  /// Words of the hypothesis that were not said.
  public var insertions: Int { alignment.count { $0.kind == .insertion } }

  /// Words of the reference that were not recognized.
  public var deletions: Int { alignment.count { $0.kind == .deletion } }

  /// Words that are the same on both sides.
  public var matches: Int { alignment.count { $0.kind == .match } }

  /// Substitutions, insertions and deletions.
  public var errorCount: Int { alignment.count { $0.kind != .match } }

  /// The words of the reference.
  public var referenceCount: Int { alignment.count { $0.reference != nil } }

  /// The words of the hypothesis.
  public var hypothesisCount: Int { alignment.count { $0.hypothesis != nil } }

  /// The rate of both together, in which each word of either reference weighs the same.
  public static func + (one: WordErrorRate, other: WordErrorRate) -> WordErrorRate {
    WordErrorRate(alignment: one.alignment + other.alignment)
  }
}
