/// How far a recognized text is from what was said, word by word.
///
/// Of all alignments of the two texts it takes one with the fewest errors, and among those one with
/// the most matches. Memory grows with the number of words, time with the product of both numbers.
public struct WordErrorRate: Hashable, Sendable {
  /// What became of the words, in order.
  public let alignment: [AlignedWord]

  /// Compares two texts, after both have been taken apart into words in the same way.
  public init(
    reference: String, hypothesis: String, normalization: WordNormalization = .spoken
  ) {
    self.init(
      reference: normalization.words(of: reference),
      hypothesis: normalization.words(of: hypothesis))
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

/// Finds an alignment with the fewest errors in memory that grows with the number of words only.
///
/// Hirschberg's way: the middle of the reference must lie somewhere in the hypothesis; the costs
/// from both ends say where, and the halves are aligned for themselves.
private struct WordAligner {
  private static let error = 1 << 32
  private static let insertion = error
  // A word of the reference that is lost weighs a little more: so the most words are kept.
  private static let loss = error + 1

  private let reference: [Int]
  private let hypothesis: [Int]
  private let words: [String]

  init(reference: [String], hypothesis: [String]) {
    var numbers: [String: Int] = [:]
    var words: [String] = []
    func number(_ word: String) -> Int {
      if let known = numbers[word] { return known }
      numbers[word] = words.count
      words.append(word)
      return words.count - 1
    }
    self.reference = reference.map(number)
    self.hypothesis = hypothesis.map(number)
    self.words = words
  }

  var alignment: [AlignedWord] {
    var result: [AlignedWord] = []
    result.reserveCapacity(max(reference.count, hypothesis.count))
    align(reference[...], hypothesis[...], into: &result)
    return result
  }

  private func align(
    _ said: ArraySlice<Int>, _ heard: ArraySlice<Int>, into result: inout [AlignedWord]
  ) {
    if heard.isEmpty {
      result += said.map { .deletion(words[$0]) }
    } else if said.count < 2 {
      alignOne(said.first, heard, into: &result)
    } else {
      let middle = said.startIndex + said.count / 2
      let cut = heard.startIndex + split(said[..<middle], said[middle...], heard)
      align(said[..<middle], heard[..<cut], into: &result)
      align(said[middle...], heard[cut...], into: &result)
    }
  }

  /// The one word becomes its like where there is one, the first of the others where there is none.
  private func alignOne(
    _ word: Int?, _ heard: ArraySlice<Int>, into result: inout [AlignedWord]
  ) {
    let place = word.map { heard.firstIndex(of: $0) ?? heard.startIndex }
    for index in heard.indices {
      let other = words[heard[index]]
      guard let word, index == place else {
        result.append(.insertion(other))
        continue
      }
      result.append(
        heard[index] == word
          ? .match(other) : .substitution(reference: words[word], hypothesis: other))
    }
  }

  /// How many words of `heard` belong to `first`; the others belong to `second`.
  private func split(
    _ first: ArraySlice<Int>, _ second: ArraySlice<Int>, _ heard: ArraySlice<Int>
  ) -> Int {
    let ahead = costs(first, heard)
    let back = costs(second.reversed(), heard.reversed())
    var best = 0
    for count in 0...heard.count
    where ahead[count] + back[heard.count - count] < ahead[best] + back[heard.count - best] {
      best = count
    }
    return best
  }

  /// For each number of words of `heard`, from 0, the cost of making them from all of `said`.
  private func costs(
    _ said: some Sequence<Int>, _ heard: some Sequence<Int>
  ) -> [Int] {
    let heard = Array(heard)
    var row = (0...heard.count).map { $0 * Self.insertion }
    for word in said {
      var diagonal = row[0]
      row[0] += Self.loss
      for (index, other) in heard.enumerated() {
        let replaced = diagonal + (word == other ? 0 : Self.loss)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, diagonal + Self.loss, row[index] + Self.insertion)
      }
    }
    return row
  }
}
