import AudioCore
import SpeechClient
import SpeechEngine

/// Makes the results of a task from an engine's hypotheses: numbered, on one time-line, one final
/// each.
struct UtteranceResults {
  /// Where no word is shorter, a noise was taken for words.
  static let longestWord = FrameCount(.seconds(2), at: .speech)

  private var stabiliser = PartialStabiliser()
  private var number = 0
  private var start: FrameCount = 0
  private var hasShownPartial = false

  /// An utterance begins at this frame of the stream at 16 kHz.
  mutating func begin(at frame: FrameCount) {
    stabiliser.reset()
    hasShownPartial = false
    start = frame
  }

  /// A partial result, where there is something new to show.
  mutating func partial(_ hypothesis: SpeechHypothesis) -> SpeechRecognitionResult? {
    guard let words = stabiliser.add(hypothesis.plausibleWords), !words.isEmpty else { return nil }
    hasShownPartial = true
    return result(words, isFinal: false)
  }

  /// The final result; nil where the utterance was no speech.
  ///
  /// Where a partial result had words all the same, an empty final one takes them back.
  mutating func final(_ hypothesis: SpeechHypothesis) -> SpeechRecognitionResult? {
    let words = hypothesis.plausibleWords
    guard !words.isEmpty || hasShownPartial else { return nil }
    defer { number += 1 }
    return result(words, isFinal: true)
  }

  private func result(
    _ words: [SpeechHypothesis.Word], isFinal: Bool
  ) -> SpeechRecognitionResult {
    let segments = words.map { word in
      TranscriptionSegment(
        substring: word.text,
        timestamp: (start + word.frames.lowerBound).duration(at: .speech),
        duration: (word.frames.upperBound - word.frames.lowerBound).duration(at: .speech),
        confidence: isFinal ? word.confidence : nil)
    }
    return SpeechRecognitionResult(
      utterance: number, bestTranscription: Transcription(segments: segments), isFinal: isFinal)
  }
}

extension SpeechHypothesis {
  /// The words; none where all of them are too long to be any.
  fileprivate var plausibleWords: [Word] {
    let isSpeech = words.contains {
      $0.frames.upperBound - $0.frames.lowerBound < UtteranceResults.longestWord
    }
    return isSpeech ? words : []
  }
}
