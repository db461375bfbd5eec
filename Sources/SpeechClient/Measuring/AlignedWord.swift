/// What became of one word between a reference and a hypothesis.
public enum AlignedWord: Hashable, Sendable {
  /// It was recognized.
  case match(String)
  /// Another word was recognized in its place.
  case substitution(reference: String, hypothesis: String)
  /// It was recognized but not said.
  case insertion(String)
  /// It was said but not recognized.
  case deletion(String)

  /// What became of a word, without the word.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Recognized.
    case match
    /// Recognized as another word.
    case substitution
    /// Never said.
    case insertion
    /// Not recognized.
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

  /// The word that was recognized, nil for a deletion.
  public var hypothesis: String? {
    switch self {
    case .match(let word), .insertion(let word), .substitution(_, let word): word
    case .deletion: nil
    }
  }
}
