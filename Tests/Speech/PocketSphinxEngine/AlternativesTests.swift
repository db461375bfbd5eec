import AudioCore
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import PocketSphinxEngine

@Suite(.ownThread, .serialized) struct AlternativesTests {
  private static let engine = SpeechEngine.pocketSphinx()

  private func final(
    _ name: String, _ change: (inout SpeechSessionOptions) -> Void
  ) throws -> SpeechHypothesis {
    var options = SpeechSessionOptions(wantsPartialHypotheses: false)
    change(&options)
    return try Self.engine.makeSession(options).recognizeInSteps(samples(of: name)).final
  }

  @Test(arguments: [0, 1, 8])
  func `a session returns the requested number of alternatives, each with different words`(
    count: Int
  ) throws {
    let final = try final("go-forward.wav") { $0.alternativeCount = count }
    #expect(final.words.map(\.text) == ["go", "forward", "ten", "meters"])
    #expect(final.alternatives.count == count)
    let texts = final.alternatives.map { $0.map(\.text) }
    #expect(Set(texts).count == count && !texts.contains(final.words.map(\.text)))
    for word in final.alternatives.joined() {
      #expect(word.confidence == nil && !word.frames.isEmpty)
    }
  }

  @Test func `alternatives with a grammar are sentences of the grammar`() throws {
    let final = try final("go-forward.wav") {
      $0.grammar = "#JSGF V1.0; grammar a; public <a> = go (forward | back) (two | ten) meters;"
      $0.alternativeCount = 2
    }
    #expect(final.words.map(\.text) == ["go", "forward", "ten", "meters"])
    #expect(final.alternatives.allSatisfy { $0.first?.text == "go" })
  }

  @Test func `a contextual phrase corrects the best hypothesis`() throws {
    let plain = try final("window.wav") { _ in }.words.map(\.text)
    let hinted = try final("window.wav") { $0.contextualPhrases = ["Open the window"] }
    #expect(plain != ["open", "the", "window", "and", "close", "the", "door"])
    #expect(hinted.words.map(\.text) == ["open", "the", "window", "and", "close", "the", "door"])
    #expect(hinted.words.last?.confidence != nil)
  }

  @Test func `contextual phrases that are not spoken do not change the result`() throws {
    let words = try final("go-forward.wav") {
      $0.contextualPhrases = ["open the window", "go away"]
    }
    #expect(words.words.map(\.text) == ["go", "forward", "ten", "meters"])
  }
}

@Suite struct ContextualChoiceTests {
  private func words(_ text: String, confidence: Double? = nil) -> [SpeechHypothesis.Word] {
    text.split(separator: " ").enumerated().map { index, word in
      SpeechHypothesis.Word(
        String(word), frames: FrameCount(index * 100)..<FrameCount((index + 1) * 100),
        confidence: confidence)
    }
  }

  private func chosen(_ phrases: [String], _ alternatives: (String, Int32)...) -> String {
    let alternatives = alternatives.map { (words: words($0), score: $1) }
    return ContextualChoice(phrases).choose(
      words("is never been", confidence: 1), among: alternatives
    )
    .map(\.text).joined(separator: " ")
  }

  @Test func `an alternative with more phrases is chosen unless its score is much lower`() {
    let best = ("is never been", Int32(-28_000))
    #expect(chosen(["has never"], best, ("has never been", -28_190)) == "has never been")
    #expect(chosen(["has never"], best, ("has never been", -28_210)) == "is never been")
    #expect(chosen(["HAS  NEVER"], best, ("has never been", -28_190)) == "has never been")
    #expect(chosen(["never been"], best, ("has never been", -27_000)) == "is never been")
    #expect(chosen([], best) == "is never been")
  }

  @Test func `words of the best hypothesis keep their confidence in an alternative`() {
    let alternative = (words: words("has never been"), score: Int32(0))
    let chosen = ContextualChoice(["has never"]).choose(
      words("is never been", confidence: 1), among: [alternative])
    #expect(chosen.map(\.confidence) == [nil, 1, 1])
  }
}
