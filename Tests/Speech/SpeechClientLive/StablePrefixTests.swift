import AudioCore
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SpeechClientLive

/// Results contain the engine's words, and stable words stay in the engine's last text.
@Suite struct StablePrefixTests {
  private static func normalized(_ transcription: Transcription) -> [String] {
    WordNormalization.spoken.words(of: transcription.formattedString)
  }

  /// Checks that the stable words of each result begin with those of the previous result.
  struct Promise {
    private var words: [String] = []
    private var utterance = 0

    mutating func check(_ result: SpeechRecognitionResult) {
      if result.utterance != utterance { (words, utterance) = ([], result.utterance) }
      let stable = normalized(result.stablePrefix)
      #expect(stable.starts(with: words), "\(stable) does not begin with \(words)")
      words = stable
    }
  }

  private static let texts = ["go", "on", "for", "ward", "ten", "10", "a", "the", "meters"]

  /// Returns a hypothesis that revises the previous words, starting at a random word.
  private func revision(
    of words: [SpeechHypothesis.Word], processed: Int, _ random: inout SeededNumbers
  ) -> [SpeechHypothesis.Word] {
    var words = Array(
      words.prefix(Int.random(in: max(0, words.count - 3)...words.count, using: &random)))
    var end = words.last?.frames.upperBound.rawValue ?? 0
    while end + 1600 < processed, Int.random(in: 0..<4, using: &random) > 0 {
      let begin = end
      end = Int.random(
        in: (begin + 800)...max(begin + 800, min(processed, begin + 9600)), using: &random)
      let text = Self.texts.randomElement(using: &random) ?? "go"
      words.append(SpeechHypothesis.Word(text, frames: FrameCount(begin)..<FrameCount(end)))
    }
    return words
  }

  @Test(arguments: 0..<300)
  func `results have the engine's words, and final results do not depend on partial results`(
    seed: Int
  ) {
    var random = SeededNumbers(seed: UInt64(seed))
    var (results, others) = (UtteranceResults(), UtteranceResults())
    for utterance in 0..<3 {
      results.begin(at: FrameCount(utterance * 320_000))
      others.begin(at: FrameCount(utterance * 320_000))
      var hypothesis = SpeechHypothesis(words: [])
      for (index, processed) in stride(from: 1600, to: 80_000, by: 2400).enumerated() {
        if Int.random(in: 0..<3, using: &random) == 0 {
          hypothesis.words = revision(of: hypothesis.words, processed: processed, &random)
        }
        hypothesis.revision = seed % 2 == 0 ? index : nil
        let partial = results.partial(
          hypothesis, processed: FrameCount(processed), plausibility: nil)
        if let partial {
          let texts = partial.bestTranscription.segments.map(\.substring)
          #expect(texts == hypothesis.words.map(\.text))
        }
      }
      let last = SpeechHypothesis(
        words: revision(of: hypothesis.words, processed: 80_000, &random))
      let final = results.final(last, processed: 80_000, plausibility: nil)
      let other = others.final(last, processed: 80_000, plausibility: nil)
      #expect(final?.bestTranscription == other?.bestTranscription)
      #expect(
        final?.bestTranscription.segments.map(\.substring) ?? [] == last.words.map(\.text))
    }
  }

  /// Different spellings of the same words: joined, split, and with other letters.
  private static let spellings = [
    ["go forward", "Go-forward", "go, forward"], ["ten metres", "10 meters."],
    ["cannot", "can not", "can't"], ["two hundred fifty euros", "250 euros"],
    ["e-mail", "E mail"], ["organised", "organized"], ["it's", "It is"],
    ["in nineteen eighty-four we", "In 1984, we"], ["a tree", "A tree,"], ["um we are", "we're"],
  ]

  /// Returns the words of the first phrases, each in a random spelling.
  private func words(
    of phrases: some Sequence<[String]>, _ random: inout SeededNumbers
  ) -> [SpeechHypothesis.Word] {
    let texts = phrases.flatMap { spellings in
      (spellings.randomElement(using: &random) ?? "").split(separator: " ").map(String.init)
    }
    return SpeechHypothesis.Word.spread(texts, over: 0..<FrameCount(texts.count * 4000))
  }

  @Test(arguments: 0..<300)
  func `stable words are in the final result of an engine that joins, splits, and respells words`(
    seed: Int
  ) {
    var random = SeededNumbers(seed: UInt64(seed))
    let phrases = (0..<6).map { _ in Self.spellings.randomElement(using: &random) ?? ["go"] }
    var results = UtteranceResults()
    results.begin(at: 0)
    var stable: [String] = []
    for step in 1..<20 {
      var hypothesis = SpeechHypothesis(
        words: words(of: phrases.prefix(step * phrases.count / 19), &random))
      hypothesis.revision = seed % 2 == 0 ? step : nil
      let partial = results.partial(
        hypothesis, processed: FrameCount(step * 4000), plausibility: nil)
      stable = partial.map { Self.normalized($0.stablePrefix) } ?? stable
    }
    let final = results.final(
      SpeechHypothesis(words: words(of: phrases, &random)), processed: 80_000, plausibility: nil)
    let all = final.map { Self.normalized($0.bestTranscription) } ?? []
    #expect(all.starts(with: stable), "\(all) does not begin with \(stable)")
  }

  @Test(arguments: ["go-forward.wav", "two-utterances.wav", "turn-44100-stereo.flac", "window.wav"])
  func `with PocketSphinx, stable words do not change, and most words become stable before the end`(
    name: String
  )
    async throws
  {
    let tasks = SpeechTasks()
    let results = try await tasks.start(SpeechRequest(url: sound(name)), on: .pocketSphinx()).all()
    var promise = Promise()
    for result in results { promise.check(result) }
    let stable = results.filter { !$0.isFinal }.map(\.stableSegmentCount).max() ?? 0
    let all = results.filter(\.isFinal).map(\.bestTranscription.segments.count).max() ?? 0
    #expect(stable > 0 && stable >= all / 2, "\(stable) of \(all)")
  }
}
