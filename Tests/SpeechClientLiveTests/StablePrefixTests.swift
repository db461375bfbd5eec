import AudioCore
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SpeechClientLive

/// Stable words stay, whatever the engine returns later.
@Suite struct StablePrefixTests {
  /// The claim, result by result.
  struct Promise {
    private var words: [String] = []
    private var utterance = 0

    mutating func check(_ result: SpeechRecognitionResult) {
      if result.utterance != utterance { (words, utterance) = ([], result.utterance) }
      let all = result.bestTranscription.segments.map(\.substring.wordKey)
      let stable = result.stablePrefix.segments.map(\.substring.wordKey)
      #expect(all.starts(with: words), "\(all) does not begin with \(words)")
      #expect(stable.starts(with: words), "\(stable) does not begin with \(words)")
      #expect(all.starts(with: stable))
      words = stable
    }
  }

  private static let texts = ["go", "on", "for", "ward", "ten", "a", "the", "meters"]

  /// A hypothesis that changes its mind about the one before at a random word.
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
    return words.map { word in
      var word = word
      let texts = [word.text, word.text.capitalized, word.text + "?", "\u{201C}" + word.text]
      word.text = texts.randomElement(using: &random) ?? word.text
      return word
    }
  }

  @Test(arguments: 0..<300)
  func `stable words stay with an engine that returns anything, written in any way`(seed: Int) {
    var random = SeededNumbers(seed: UInt64(seed))
    var results = UtteranceResults()
    var promise = Promise()
    for utterance in 0..<3 {
      results.begin(at: FrameCount(utterance * 320_000))
      var words: [SpeechHypothesis.Word] = []
      for processed in stride(
        from: 1600, to: 80_000, by: Int.random(in: 400...3000, using: &random))
      {
        if Int.random(in: 0..<3, using: &random) == 0 {
          words = revision(of: words, processed: processed, &random)
        }
        let hypothesis = SpeechHypothesis(words: words)
        if let partial = results.partial(
          hypothesis, processed: FrameCount(processed), plausibility: nil)
        {
          promise.check(partial)
        }
      }
      let last = Bool.random(using: &random) ? revision(of: [], processed: 80_000, &random) : words
      if let final = results.final(
        SpeechHypothesis(words: last), processed: 80_000, plausibility: nil)
      {
        promise.check(final)
        let times = final.bestTranscription.segments.map(\.timestamp)
        #expect(times == times.sorted())
      }
    }
  }

  @Test(arguments: ["go-forward.wav", "two-utterances.wav", "turn-44100-stereo.flac", "window.wav"])
  func `stable words stay with PocketSphinx, and most are stable before the end`(name: String)
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
