/// The word error rate of a recognized text.
///
/// The alignment has the fewest errors and, among those, the most matches. Memory is proportional
/// to the number of words. Time is proportional to the product of the two texts' word counts.
public struct WordErrorRate: Hashable, Sendable {
  /// The aligned words, in order.
  public let alignment: [AlignedWord]

  /// Compares two texts after normalizing both in the same way.
  public init(
    reference: String, hypothesis: String, normalization: WordNormalization = .spoken
  ) {
    self.init(
      reference: normalization.words(of: reference),
      hypothesis: normalization.words(of: hypothesis))
  }

  /// Compares words without normalization; pass characters or syllables for their error rates.
  public init(reference: [String], hypothesis: [String]) {
    alignment = ErrorAligner(reference: reference, hypothesis: hypothesis).alignment
  }

  init(alignment: [AlignedWord]) {
    self.alignment = alignment
  }

  /// The errors divided by the words of the reference; insertions can make it exceed 1.
  ///
  /// Nil if the reference has no words.
  public var rate: Double? {
    referenceCount > 0 ? Double(errorCount) / Double(referenceCount) : nil
  }

  /// The number of reference words that were recognized as other words.
  public var substitutions: Int { alignment.count { $0.kind == .substitution } }

  /// The number of recognized words that were not spoken.
  public var insertions: Int { alignment.count { $0.kind == .insertion } }

  /// The number of reference words that were not recognized.
  public var deletions: Int { alignment.count { $0.kind == .deletion } }

  /// The number of correctly recognized words.
  public var matches: Int { alignment.count { $0.kind == .match } }

  /// The number of substitutions, insertions, and deletions.
  public var errorCount: Int { alignment.count { $0.kind != .match } }

  /// The number of words in the reference.
  public var referenceCount: Int { alignment.count { $0.reference != nil } }

  /// The number of words in the hypothesis.
  public var hypothesisCount: Int { alignment.count { $0.hypothesis != nil } }

  /// Returns the error rate of both texts together; every reference word has the same weight.
  public static func + (one: WordErrorRate, other: WordErrorRate) -> WordErrorRate {
    WordErrorRate(alignment: one.alignment + other.alignment)
  }
}

/// A word in the alignment of a reference and a hypothesis.
public enum AlignedWord: Hashable, Sendable {
  /// The word was recognized correctly.
  case match(String)
  /// Another word was recognized instead.
  case substitution(reference: String, hypothesis: String)
  /// The word was recognized but not spoken.
  case insertion(String)
  /// The word was spoken but not recognized.
  case deletion(String)

  /// The kind of an aligned word.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The word was recognized correctly.
    case match
    /// The word was recognized as another word.
    case substitution
    /// The hypothesis has a word that was not spoken.
    case insertion
    /// The word was not recognized.
    case deletion
  }

  /// The kind of the word.
  public var kind: Kind {
    switch self {
    case .match: .match
    case .substitution: .substitution
    case .insertion: .insertion
    case .deletion: .deletion
    }
  }

  /// The spoken word, nil for an insertion.
  public var reference: String? {
    switch self {
    case .match(let word), .deletion(let word), .substitution(let word, _): word
    case .insertion: nil
    }
  }

  /// The recognized word, nil for a deletion.
  public var hypothesis: String? {
    switch self {
    case .match(let word), .insertion(let word), .substitution(_, let word): word
    case .deletion: nil
    }
  }
}

/// Finds an alignment with the fewest errors in memory proportional to the number of words.
///
/// It uses Hirschberg's algorithm. The costs from both ends determine where the middle of the
/// reference lies in the hypothesis, and both halves are aligned separately.
private struct ErrorAligner {
  private static let error = 1 << 32
  private static let insertion = error
  // A deletion costs slightly more than another error, so that the alignment has the most matches
  // that are possible with the fewest errors.
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
    _ spoken: ArraySlice<Int>, _ recognized: ArraySlice<Int>, into result: inout [AlignedWord]
  ) {
    if recognized.isEmpty {
      result += spoken.map { .deletion(words[$0]) }
    } else if spoken.count < 2 {
      alignOne(spoken.first, recognized, into: &result)
    } else {
      let middle = spoken.startIndex + spoken.count / 2
      let cut = recognized.startIndex + split(spoken[..<middle], spoken[middle...], recognized)
      align(spoken[..<middle], recognized[..<cut], into: &result)
      align(spoken[middle...], recognized[cut...], into: &result)
    }
  }

  /// Aligns a single spoken word with the first equal word, or else with the first word.
  ///
  /// All other recognized words are insertions; so are all words if `word` is nil.
  private func alignOne(
    _ word: Int?, _ recognized: ArraySlice<Int>, into result: inout [AlignedWord]
  ) {
    let place = word.map { recognized.firstIndex(of: $0) ?? recognized.startIndex }
    for index in recognized.indices {
      let other = words[recognized[index]]
      guard let word, index == place else {
        result.append(.insertion(other))
        continue
      }
      result.append(
        recognized[index] == word
          ? .match(other) : .substitution(reference: words[word], hypothesis: other))
    }
  }

  /// Returns the number of words at the beginning of `recognized` that align with `first`; the
  /// other words align with `second`.
  private func split(
    _ first: ArraySlice<Int>, _ second: ArraySlice<Int>, _ recognized: ArraySlice<Int>
  ) -> Int {
    let ahead = costs(first, recognized)
    let back = costs(second.reversed(), recognized.reversed())
    var best = 0
    for count in 0...recognized.count
    where ahead[count] + back[recognized.count - count] < ahead[best]
      + back[recognized.count - best]
    {
      best = count
    }
    return best
  }

  /// Returns the cost of aligning all of `spoken` with the first n words of `recognized`, for each
  /// n from 0.
  private func costs(
    _ spoken: some Sequence<Int>, _ recognized: some Sequence<Int>
  ) -> [Int] {
    let recognized = Array(recognized)
    var row = (0...recognized.count).map { $0 * Self.insertion }
    for word in spoken {
      var diagonal = row[0]
      row[0] += Self.loss
      for (index, other) in recognized.enumerated() {
        let replaced = diagonal + (word == other ? 0 : Self.loss)
        diagonal = row[index + 1]
        row[index + 1] = min(replaced, diagonal + Self.loss, row[index] + Self.insertion)
      }
    }
    return row
  }
}
