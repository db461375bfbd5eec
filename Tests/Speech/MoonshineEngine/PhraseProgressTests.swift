import Testing

@testable import MoonshineEngine

@Suite struct PhraseProgressTests {
  private func worth(_ text: String, _ phrases: [String], atEnd: Bool = true) -> Float {
    let progress = PhraseProgress(phrases).reading(Array(text.utf8).tokenSpelling)
    return atEnd ? progress.worthAtEnd : progress.worth
  }

  @Test func `the bonus of a phrase grows with each matching letter, and is lost at a mismatch`() {
    let phrases = ["Ten of clubs"]
    let steps = [" Ten", " Ten of", " Ten of cl"].map { worth($0, phrases, atEnd: false) }
    #expect(steps == steps.sorted() && (steps.first ?? 0) > 0)
    #expect(worth(" Ten of clo", phrases, atEnd: false) == 0)
    #expect(worth(" Ten of clubs.", phrases) > 4)
    #expect(worth(" Ten of clubs and more", phrases) == worth(" Ten of clubs", phrases))
    #expect(worth(" Ten of club", phrases) == 0)
    #expect(worth(" Ten of clubshouse", phrases) == 0)
  }

  @Test func `a phrase may begin at any word, but not within a word`() {
    #expect(worth(" say ten, of clubs", ["ten of clubs"]) > 0)
    #expect(worth(" often of clubs", ["ten of clubs"]) == 0)
    #expect(worth(" anything", ["", " .", "-"]) == 0)
  }

  @Test func `a phrase at the beginning of a longer phrase adds no bonus to the longer phrase`() {
    let both = ["ten of clubs", "ten of"]
    #expect(abs(worth(" ten of clubs", both) - worth(" ten of clubs", ["ten of clubs"])) < 1e-4)
    #expect(worth(" ten of spades", both) == worth(" ten of spades", ["ten of"]))
    #expect(worth(" ten of ten of", ["ten of"]) == 2 * worth(" ten of", ["ten of"]))
    #expect(worth(" gopher", ["go", "gopher"]) == worth(" gopher", ["gopher"]))
  }

  @Test func `the bonus of a long phrase is limited`() {
    let phrase = String(repeating: "very ", count: 100)
    #expect(worth(" \(phrase)", [phrase]) == PhraseProgress.most)
  }
}
