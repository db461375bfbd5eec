import ClientDependencies
import Foundation
import SpeechClient
import Testing

@Suite struct SpeechRecognitionEventTests {
  @Test func `the preview reports when its sentence begins and ends`() async throws {
    var events: [SpeechRecognitionEvent] = []
    try await withDependencies {
      $0.continuousClock = ImmediateClock()
    } operation: {
      let request = SpeechRequest(url: URL(filePath: "any.wav"))
      for try await event in await SpeechClient.previewValue.recognition(request: request) {
        events.append(event)
      }
    }
    #expect(events.count == 7)
    #expect(events.first == .speechStarted(at: .zero))
    #expect(events.last == .speechEnded(at: .milliseconds(1200)))
    let results = events.compactMap { if case .result(let result) = $0 { result } else { nil } }
    #expect(results.map(\.isFinal) == [false, false, false, false, true])
    #expect(results.map(\.stableSegmentCount) == [0, 1, 2, 3, 4])
    #expect(results.last?.speechRecognitionMetadata?.speakingRate == 200)
  }

  /// A type on the main actor that shows the recognized text, like the screen of an app.
  @MainActor private final class Screen {
    private(set) var lines: [String] = []
    private(set) var text = ""

    func show(_ speech: SpeechClient, _ request: SpeechRequest) async throws {
      lines = try await speech.startTask(request: request).finalTranscripts()
      text = try await speech.recognition(request: request).text()
    }
  }

  @Test func `a type on the main actor gets the texts of the final results`() async throws {
    let results = [("go", false), ("go forward", true), ("stop", false), ("stop now", true)]
      .map { SpeechRecognitionResult($0, isFinal: $1) }
    let stream = AsyncThrowingStream<SpeechRecognitionResult, any Error> { continuation in
      for result in results { continuation.yield(result) }
      continuation.finish()
    }
    let events = AsyncThrowingStream<SpeechRecognitionEvent, any Error> { continuation in
      continuation.yield(.speechStarted(at: .zero))
      for result in results { continuation.yield(.result(result)) }
      continuation.finish()
    }
    let speech = withDependencies {
      $0.speechClient.startTask = { _ in stream }
      $0.speechClient.recognition = { _ in events }
    } operation: {
      @Dependency(\.speechClient) var speech
      return speech
    }
    let screen = Screen()
    try await screen.show(speech, SpeechRequest(url: URL(filePath: "any.wav")))
    #expect(await screen.lines == ["go forward", "stop now"])
    #expect(await screen.text == "go forward stop now")
  }

  @Test func `a canceled task gets no texts`() async {
    let (results, feed) = AsyncThrowingStream<SpeechRecognitionResult, any Error>.makeStream()
    feed.yield(SpeechRecognitionResult("go", isFinal: true))
    let reading = Task { try await results.finalTranscripts() }
    reading.cancel()
    await #expect(throws: CancellationError.self) { try await reading.value }
  }

  @Test func `without a final result, an utterance ends at the next utterance or at the end`()
    async throws
  {
    func result(_ utterance: Int, at second: Int, isFinal: Bool) -> SpeechRecognitionResult {
      let word = TranscriptionSegment(
        substring: "go", timestamp: .seconds(second), duration: .milliseconds(500))
      return SpeechRecognitionResult(
        utterance: utterance, bestTranscription: Transcription(segments: [word]), isFinal: isFinal)
    }
    let results = [
      result(0, at: 1, isFinal: false), result(1, at: 3, isFinal: false),
      result(1, at: 3, isFinal: true), result(2, at: 5, isFinal: false),
    ]
    let stream = AsyncThrowingStream<SpeechRecognitionResult, any Error> { continuation in
      for result in results { continuation.yield(result) }
      continuation.finish()
    }
    var events: [SpeechRecognitionEvent] = []
    for try await event in SpeechRecognitionEvent.events(of: stream) { events.append(event) }
    #expect(
      events == [
        .speechStarted(at: .seconds(1)), .result(results[0]),
        .speechEnded(at: .milliseconds(1500)), .speechStarted(at: .seconds(3)),
        .result(results[1]), .result(results[2]), .speechEnded(at: .milliseconds(3500)),
        .speechStarted(at: .seconds(5)), .result(results[3]),
        .speechEnded(at: .milliseconds(5500)),
      ])
  }
}
