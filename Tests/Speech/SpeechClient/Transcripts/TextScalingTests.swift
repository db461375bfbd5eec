import Foundation
import SpeechClient
import TestTools
import Testing

/// The normalization of words takes linear time, whatever the text is.
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
}
