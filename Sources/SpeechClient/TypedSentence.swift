import AudioCore

/// A sentence that previews hear, one word after the other.
struct TypedSentence: Sendable {
  static let preview = TypedSentence(words: "go forward ten meters".split(separator: " "))
  static let timePerWord = Duration.milliseconds(300)

  let words: [String]

  init(words: [Substring]) {
    self.words = words.map(String.init)
  }

  /// The results in order: a partial one for every word, and then the whole as a final one.
  var steps: [SpeechRecognitionResult] {
    words.indices.map { result(words: $0 + 1) } + [result(words: words.count, isFinal: true)]
  }

  private func result(words count: Int, isFinal: Bool = false) -> SpeechRecognitionResult {
    let segments = words.prefix(count).enumerated().map { index, word in
      TranscriptionSegment(
        substring: word, timestamp: Self.timePerWord * index, duration: Self.timePerWord,
        confidence: isFinal ? 1 : nil)
    }
    let transcription = Transcription(segments: segments)
    return SpeechRecognitionResult(
      utterance: 0, bestTranscription: transcription, isFinal: isFinal,
      stableSegmentCount: count - 1,
      speechRecognitionMetadata: isFinal ? SpeechRecognitionMetadata(transcription) : nil)
  }
}
