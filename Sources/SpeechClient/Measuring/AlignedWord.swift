/// What became of one word between a reference and a hypothesis.
public enum AlignedWord: Hashable, Sendable {
  /// It was understood.
  case match(String)
  /// It was taken for another one.
  case substitution(reference: String, hypothesis: String)
  /// It was understood where nobody said it.
  case insertion(String)
  /// It was said and not understood.
  case deletion(String)

  /// What became of a word, without the word.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Understood.
    case match
    /// Taken for another one.
    case substitution
    /// Never said.
    case insertion
    /// Not understood.
    case deletion
  }

  /// What became of it.
  public var kind: Kind {
    switch self {
    case .match: .match
    case .substitution: .substitution
    case .insertion: .insertion
    case .deletion: .deletion
    }
  }

  /// The word that was said, nil for an insertion.
  public var reference: String? {
    switch self {
    case .match(let word), .deletion(let word), .substitution(let word, _): word
    case .insertion: nil
    }
  }

  /// The word that was understood, nil for a deletion.
  public var hypothesis: String? {
    switch self {
    case .match(let word), .insertion(let word), .substitution(_, let word): word
    case .deletion: nil
    }
  }
}
