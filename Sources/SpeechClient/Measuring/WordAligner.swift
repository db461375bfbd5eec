/// Finds an alignment with the fewest errors in memory that grows with the number of words only.
///
/// Hirschberg's way: the middle of the reference must lie somewhere in the hypothesis; the costs
/// from both ends say where, and the halves are aligned for themselves.
struct WordAligner {
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
