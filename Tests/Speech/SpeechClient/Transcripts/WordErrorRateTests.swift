import SpeechClient
import TestTools
import Testing

struct WordErrorRateTests {
  @Test
  func `equal texts have no error, whatever their case and punctuation`() {
    let rate = WordErrorRate(
      reference: "Go forward, ten meters!", hypothesis: "go forward ten meters")
    #expect(rate.rate == 0)
    #expect(rate.alignment == ["go", "forward", "10", "meters"].map(AlignedWord.match))
  }

  @Test
  func `each kind of error is counted, and each error has its position`() {
    let rate = WordErrorRate(reference: "a b c d", hypothesis: "a x c y d e")
    #expect(
      rate.alignment == [
        .match("a"), .substitution(reference: "b", hypothesis: "x"), .match("c"), .insertion("y"),
        .match("d"), .insertion("e"),
      ])
    #expect((rate.substitutions, rate.insertions, rate.deletions) == (1, 2, 0))
    #expect((rate.matches, rate.referenceCount, rate.hypothesisCount) == (3, 4, 6))
    #expect(rate.rate == 0.75)
  }

  @Test
  func `an unrecognized word is a deletion`() {
    let rate = WordErrorRate(reference: "left right back", hypothesis: "right")
    #expect(rate.alignment == [.deletion("left"), .match("right"), .deletion("back")])
    #expect(WordErrorRate(reference: "left right", hypothesis: "").deletions == 2)
  }

  @Test
  func `a reference without words has no rate`() {
    #expect(WordErrorRate(reference: " ", hypothesis: "").rate == nil)
    let rate = WordErrorRate(reference: "", hypothesis: "a b")
    #expect(rate.rate == nil && rate.insertions == 2)
  }

  @Test
  func `inserted words can raise the error rate above one`() {
    #expect(WordErrorRate(reference: "a", hypothesis: "b c d").rate == 3)
  }

  @Test
  func `among alignments with equal errors, the alignment with the most matches is chosen`() {
    // Two substitutions would also be two errors, but this alignment has a match.
    let rate = WordErrorRate(reference: "a b", hypothesis: "b c")
    #expect(rate.alignment == [.deletion("a"), .match("b"), .insertion("c")])
    let other = WordErrorRate(reference: "b c", hypothesis: "a b")
    #expect(other.alignment == [.insertion("a"), .match("b"), .deletion("c")])
  }

  @Test
  func `the sum of two rates weighs every word equally`() {
    let sum =
      WordErrorRate(reference: "a", hypothesis: "b")
      + WordErrorRate(reference: "a b c", hypothesis: "a b c")
    #expect(sum.rate == 0.25)
  }

  @Test
  func `words can be compared without normalization`() {
    let rate = WordErrorRate(reference: ["A", "b"], hypothesis: ["a", "b"])
    #expect(rate.substitutions == 1)
  }

  /// Returns the fewest errors, by the textbook recurrence over all prefixes.
  private func fewestErrors(_ reference: [String], _ hypothesis: [String]) -> Int {
    var table = [[Int]](
      repeating: Array(0...hypothesis.count), count: reference.count + 1)
    for row in table.indices { table[row][0] = row }
    for row in 1..<table.count {
      for column in 1..<table[row].count {
        let same = reference[row - 1] == hypothesis[column - 1] ? 0 : 1
        table[row][column] = min(
          table[row - 1][column - 1] + same, table[row - 1][column] + 1, table[row][column - 1] + 1)
      }
    }
    return table[reference.count][hypothesis.count]
  }

  @Test(arguments: 1...40)
  func `an alignment has the fewest errors and contains every word`(seed: UInt64) {
    var random = SeededNumbers(seed: seed)
    let reference = (0..<Int.random(in: 1...40, using: &random)).map { _ in
      String(Int.random(in: 0..<6, using: &random))
    }
    let hypothesis = (0..<Int.random(in: 1...40, using: &random)).map { _ in
      String(Int.random(in: 0..<6, using: &random))
    }
    let rate = WordErrorRate(reference: reference, hypothesis: hypothesis)
    #expect(rate.errorCount == fewestErrors(reference, hypothesis))
    #expect(rate.alignment.compactMap(\.reference) == reference)
    #expect(rate.alignment.compactMap(\.hypothesis) == hypothesis)
  }
}
