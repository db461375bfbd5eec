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
    let segment = results.final(hypothesis, heard: 16_000, plausibility: nil)?.bestTranscription
      .segments.first
    #expect(
      segment
        == TranscriptionSegment(
          substring: "go", timestamp: .milliseconds(2100), duration: .milliseconds(200),
          confidence: 0.5))
  }

  @Test func `utterances without words have no result and no number`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    #expect(results.final(SpeechHypothesis(), heard: 16_000, plausibility: nil) == nil)
    results.begin(at: 16_000)
    #expect(results.final(hypothesis, heard: 16_000, plausibility: nil)?.utterance == 0)
    results.begin(at: 32_000)
    #expect(results.final(hypothesis, heard: 16_000, plausibility: nil)?.utterance == 1)
  }

  @Test func `words that were shown and turn out to be none are taken back`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    _ = results.partial(hypothesis, heard: 16_000, plausibility: nil)
    let final = results.final(SpeechHypothesis(), heard: 16_000, plausibility: nil)
    #expect(final?.isFinal == true)
    #expect(final?.bestTranscription.segments == [])
    #expect(final?.speechRecognitionMetadata == nil)
  }

  @Test func `a partial result comes where there is news, and has no confidence`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partials = (0..<3).compactMap { _ in
      results.partial(hypothesis, heard: 16_000, plausibility: nil)
    }
    #expect(partials.count == 1)
    #expect(partials.first?.bestTranscription.segments.first?.confidence == nil)
    #expect(partials.first?.volatileTail.formattedString == "go")
  }

  @Test func `what cannot be speech has no result`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let noise = Plausibility(isVoiced: false, sound: 16_000_000)
    #expect(results.final(hypothesis, heard: 16_000, plausibility: noise) == nil)
  }

  /// What is stable after a second of partial results whose words do not change, and the final
  /// result, in which the engine is not sure of them.
  private func outcome(
    of words: [String], with plausibility: Plausibility, confidence: Double = 0.001
  ) -> (stable: Int, final: SpeechRecognitionResult?) {
    func hypothesis(sureness: Double?) -> SpeechHypothesis {
      SpeechHypothesis(
        words: words.enumerated().map { index, word in
          SpeechHypothesis.Word(
            word, frames: FrameCount(index * 1600)..<FrameCount((index + 1) * 1600),
            confidence: sureness)
        })
    }
    var results = UtteranceResults()
    results.begin(at: 0)
    var stable = 0
    for heard in stride(from: 8000, to: 24_000, by: 1600) {
      // No engine says before the end how sure it is.
      let partial = results.partial(
        hypothesis(sureness: nil), heard: FrameCount(heard), plausibility: plausibility)
      stable = partial?.stableSegmentCount ?? stable
    }
    return (
      stable,
      results.final(hypothesis(sureness: confidence), heard: 24_000, plausibility: plausibility)
    )
  }

  /// The words are 300 ms long, which is enough for 7.5 s of sound.
  @Test(arguments: [
    Plausibility(isVoiced: false, sound: 24_000), Plausibility(isVoiced: true, sound: 120_001),
  ])
  func `no word of a noise is called stable, so that the final result takes all back`(
    noise: Plausibility
  ) {
    let (stable, final) = outcome(of: ["the", "a", "the"], with: noise)
    #expect(stable == 0)
    #expect(final?.bestTranscription.segments == [])
  }

  @Test func `words of a voice are called stable, and stay where the engine is not sure at last`() {
    let voice = Plausibility(isVoiced: true, sound: 120_000)
    let (stable, final) = outcome(of: ["the", "a", "the"], with: voice)
    #expect(stable == 2)
    #expect(final?.bestTranscription.formattedString == "the a")
    let sure = outcome(of: ["the", "a", "the"], with: voice, confidence: 0.5).final
    #expect(sure?.bestTranscription.formattedString == "the a the")
  }

  @Test func `the number of an utterance that was lost is not used again`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    let partial = results.partial(hypothesis, heard: 16_000, plausibility: nil)
    #expect(partial?.utterance == 0)
    results.lose()
    // Nobody has seen this one.
    results.begin(at: 16_000)
    results.lose()
    results.begin(at: 32_000)
    #expect(results.final(hypothesis, heard: 16_000, plausibility: nil)?.utterance == 1)
  }

  @Test func `no word reaches into the padding behind the utterance`() {
    var results = UtteranceResults()
    results.begin(at: 16_000)
    let words = [
      SpeechHypothesis.Word("go", frames: 0..<4000),
      SpeechHypothesis.Word("on", frames: 4000..<9000),
    ]
    let segments = results.final(SpeechHypothesis(words: words), heard: 8000, plausibility: nil)?
      .bestTranscription
      .segments
    #expect(segments?.last.map { $0.timestamp + $0.duration } == .milliseconds(1500))
  }

  @Test
  func `other readings come with the final result, and their words with those they stand for`() {
    var results = UtteranceResults()
    results.begin(at: 0)
    func words(_ texts: [String], length: Int) -> [SpeechHypothesis.Word] {
      texts.enumerated().map { index, text in
        SpeechHypothesis.Word(
          text, frames: FrameCount(index * length)..<FrameCount((index + 1) * length))
      }
    }
    let result = results.final(
      SpeechHypothesis(
        words: words(["go", "forward"], length: 4000),
        alternatives: [
          words(["go", "for", "word"], length: 2666), words(["no", "forward"], length: 4000),
        ]),
      heard: 8000, plausibility: nil)
    #expect(
      result?.transcriptions.map(\.formattedString) == ["go forward", "go for word", "no forward"])
    #expect(
      result?.bestTranscription.segments.map(\.alternativeSubstrings) == [
        ["go for", "no"], ["word"],
      ]
        || result?.bestTranscription.segments.map(\.alternativeSubstrings) == [
          ["no"], ["for word"],
        ])
  }
}
