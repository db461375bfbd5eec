import AudioCore
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct UtteranceResultsTests {
  private let hypothesis = SpeechHypothesis(words: [
    SpeechHypothesis.Word("go", frames: 1600..<4800, confidence: 0.5)
  ])

  @Test func `times are counted from the beginning of the stream`() {
    var results = UtteranceResults()
    results.begin(at: 32_000)
    let segment = results.final(hypothesis)?.bestTranscription.segments.first
    #expect(
      segment
        == TranscriptionSegment(
          substring: "go", timestamp: .milliseconds(2100), duration: .milliseconds(200),
          confidence: 0.5))
  }

  @Test func `utterances without words have no result and no number`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    #expect(results.final(SpeechHypothesis()) == nil)
    results.begin(at: 16_000)
    #expect(results.final(hypothesis)?.utterance == 0)
    results.begin(at: 32_000)
    #expect(results.final(hypothesis)?.utterance == 1)
  }

  @Test func `words that were shown and turn out to be none are taken back`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    for _ in 0..<3 { _ = results.partial(hypothesis) }
    let final = results.final(SpeechHypothesis())
    #expect(final?.isFinal == true)
    #expect(final?.bestTranscription.segments == [])
  }

  @Test func `partial results have no confidence`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partials = (0..<3).compactMap { _ in results.partial(hypothesis) }
    #expect(partials.count == 1)
    #expect(partials.first?.bestTranscription.segments.first?.confidence == nil)
  }

  @Test func `where nothing is shorter than two seconds, a noise was taken for words`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let long = SpeechHypothesis.Word("up", frames: 0..<32_000, confidence: 1)
    #expect(results.final(SpeechHypothesis(words: [long])) == nil)
  }

  @Test func `a word that somebody drags out among others is kept`() {
    var results = UtteranceResults()
    results.begin(at: 64_000)
    let long = SpeechHypothesis.Word("no", frames: 4800..<52_800, confidence: 1)
    let final = results.final(SpeechHypothesis(words: hypothesis.words + [long]))
    #expect(final?.bestTranscription.formattedString == "go no")
  }
}
