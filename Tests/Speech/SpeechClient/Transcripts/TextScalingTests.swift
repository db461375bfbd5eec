import Foundation
import SpeechClient
import TestTools
import Testing

/// The normalization of words and text rules take linear time, whatever the text is.
@Suite(.serialized) struct TextScalingTests {
  @Test(arguments: [
    "one ", "twenty ", "hundred ", "million ", "point ", "1", "1,", "$", "don't ", "' ", "- ",
    "half ", "minus ", "first ", "a.m. ",
  ])
  func `words are normalized in linear time`(piece: String) {
    let text = { (count: Int) in String(repeating: piece, count: count) }
    let ratio = growth(to: 4_000, of: text) { _ = WordNormalization.spoken.words(of: $0) }
    #expect(ratio < 9)
  }

  @Test(arguments: [
    "one ", "twenty ", "twenty, ", "first ", "a ", "ten to ", "five oh ", "and ", "Word ",
    "COLOUR ",
    "comma ", "word. Um ", "5 ", "five dollars and ",
  ])
  func `text rules are applied in linear time`(piece: String) {
    var rules = TextRules(writesSpokenPunctuation: true, spelling: .american)
    rules.replace("um", with: "")
    rules.replace("word um word", with: "words of others")
    rules.mask("and")
    let text = { (count: Int) in String(repeating: piece, count: count) }
    let ratio = growth(to: 4_000, of: text) { _ = rules.applied(to: $0) }
    #expect(ratio < 9)
  }
}
