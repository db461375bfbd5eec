import AudioCore
import ClientDependencies

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

  /// The steps as a stream in which every word takes its time on the clock.
  func results() -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    @Dependency(\.continuousClock) var clock
    let typing = Typing(steps: steps)
    return AsyncThrowingStream { [clock] in
      guard let step = await typing.next() else { return nil }
      do {
        if !step.isFinal { try await clock.sleep(for: Self.timePerWord) }
        return step
      } catch is CancellationError {
        return nil
      }
    }
  }

  private func result(words count: Int, isFinal: Bool = false) -> SpeechRecognitionResult {
    let segments = words.prefix(count).enumerated().map { index, word in
      TranscriptionSegment(
        substring: word, timestamp: Self.timePerWord * index, duration: Self.timePerWord,
        confidence: isFinal ? 1 : nil)
    }
    return SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: segments), isFinal: isFinal)
  }
}

/// Which step of the sentence comes next.
private actor Typing {
  private var rest: ArraySlice<SpeechRecognitionResult>

  init(steps: [SpeechRecognitionResult]) {
    rest = steps[...]
  }

  func next() -> SpeechRecognitionResult? {
    rest.popFirst()
  }
}
