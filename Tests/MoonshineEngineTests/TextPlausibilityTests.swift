import Foundation
import Testing

@testable import MoonshineEngine

@Suite struct TextPlausibilityTests {
  private func allows(_ probabilities: [Double], _ plausibility: TextPlausibility = .ofTexts)
    -> Bool
  {
    plausibility.allow(probabilities.map { Float(log($0)) })
  }

  @Test func `a text is plausible whose tokens are likely, in the mean and each`() {
    #expect(allows([0.9, 0.5, 0.3]))
    #expect(!allows([0.3, 0.3, 0.3]))
    #expect(!allows([1, 1, 1, 1, 1, 0.001]))
    #expect(!allows([]))
  }

  @Test func `a sentence of a grammar may be less likely`() {
    #expect(allows([0.3, 0.3, 0.3], .ofSentences))
    #expect(allows([1, 1, 0.005], .ofSentences))
    #expect(!allows([0.1, 0.05, 0.05], .ofSentences))
    #expect(!allows([1, 1, 1, 1, 0.0001], .ofSentences))
  }
}
