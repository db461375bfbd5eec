import Foundation
import Testing

@testable import MoonshineEngine

@Suite struct DecodedTextTests {
  private func isSentence(_ probabilities: [Double]) -> Bool {
    DecodedText(logProbabilities: probabilities.map { Float(log($0)) }).isSentence
  }

  @Test
  func `a text is accepted as a sentence if its tokens are likely on average and individually`() {
    #expect(isSentence([0.3, 0.3, 0.3]))
    #expect(isSentence([1, 1, 0.005]))
    #expect(!isSentence([0.1, 0.05, 0.05]))
    #expect(!isSentence([1, 1, 1, 1, 0.0001]))
    #expect(!isSentence([]))
  }

  @Test
  func `a text's probability is the geometric mean over its tokens and its end token`() {
    let text = DecodedText(tokens: [3, 4], logProbabilities: [0.5, 0.25, 1].map { log($0) })
    #expect(abs(text.probability - 0.5) < 1e-6)
    #expect(text.hasEnd)
  }
}
