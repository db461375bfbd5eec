import AudioCore
import ClientDependencies

extension SpeechClient {
  static func preview() -> SpeechClient {
    let stage = PreviewStage<PreviewSentence>()
    @Sendable func results(
      _ request: SpeechRequest
    ) async -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
      @Dependency(\.continuousClock) var clock
      return await stage.start(
        PreviewSentence(reportsPartials: request.shouldReportPartialResults), on: clock,
        isImmediate: clock is ImmediateClock<Duration>, policy: .keepingAll())
    }
    return SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { await results($0) },
      recognition: { SpeechRecognitionEvent.events(of: await results($0)) },
      finishTask: { _ = try? await stage.update { $0.finish() } },
      supportedLocales: { ["en-US"] },
      engines: { [.preview] })
  }
}

/// A sentence that is recognized word by word: a partial result for each word, and the whole
/// sentence as the final result.
private struct PreviewSentence: PreviewScript {
  private static let timePerWord = Duration.milliseconds(300)

  private let words = ["go", "forward", "ten", "meters"]
  private let reportsPartials: Bool
  private var recognized = 0
  private var passed = Duration.zero
  private var isFinished = false
  private var results: [SpeechRecognitionResult] = []

  init(reportsPartials: Bool) {
    self.reportsPartials = reportsPartials
  }

  mutating func next() -> PreviewStep<SpeechRecognitionResult> {
    if !results.isEmpty { return .send(results.removeFirst()) }
    return isFinished ? .end() : .wait(Self.timePerWord * (recognized + 1) - passed)
  }

  mutating func waited(_ duration: Duration) {
    passed += duration
    guard passed >= Self.timePerWord * (recognized + 1) else { return }
    recognized += 1
    if reportsPartials { results.append(result(isFinal: false)) }
    if recognized == words.count { finish() }
  }

  /// Ends with the final result of the words so far; without words, there is no result.
  mutating func finish() {
    isFinished = true
    if recognized > 0 { results.append(result(isFinal: true)) }
  }

  private func result(isFinal: Bool) -> SpeechRecognitionResult {
    let segments = words.prefix(recognized).enumerated().map { index, word in
      TranscriptionSegment(
        substring: word, timestamp: Self.timePerWord * index, duration: Self.timePerWord,
        confidence: isFinal ? 1 : nil)
    }
    let transcription = Transcription(segments: segments)
    return SpeechRecognitionResult(
      utterance: 0, bestTranscription: transcription, isFinal: isFinal,
      stableSegmentCount: recognized - 1,
      speechRecognitionMetadata: isFinal ? SpeechRecognitionMetadata(transcription) : nil)
  }
}
