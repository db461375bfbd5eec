import ClientDependenciesMacros
import ClientDependenciesTestSupport
import Testing

// A client with defaults, and with results in a stream.

private enum AuthorizationStatus: Sendable { case authorized, denied }
private struct SpeechRequest: Sendable {}
private struct SpeechRecognitionResult: Equatable, Sendable {
  var text: String
}

@DependencyClient
private struct SpeechClient: Sendable {
  var authorizationStatus: @Sendable () -> AuthorizationStatus = { .denied }
  var requestAuthorization: @Sendable () async -> AuthorizationStatus = { .denied }
  var startTask:
    @Sendable (_ request: SpeechRequest) async
      -> AsyncThrowingStream<SpeechRecognitionResult, any Error> = { _ in .finished() }
}

extension SpeechClient: DependencyKey {
  static var liveValue: SpeechClient {
    SpeechClient(
      authorizationStatus: { .authorized },
      requestAuthorization: { .authorized },
      startTask: { _ in
        AsyncThrowingStream { continuation in
          continuation.yield(SpeechRecognitionResult(text: "hello"))
          continuation.finish()
        }
      })
  }
  static var testValue: SpeechClient { SpeechClient() }
}

@DependencyClient
private struct AudioRecorderClient: Sendable {
  var currentTime: @Sendable () async -> Double?
  var requestRecordPermission: @Sendable () async -> Bool = { false }
  var startRecording: @Sendable (_ path: String) async throws -> Bool
  var stopRecording: @Sendable () async -> Void
}

extension AudioRecorderClient: TestDependencyKey {
  static var previewValue: AudioRecorderClient {
    AudioRecorderClient(
      currentTime: { 10.0 }, requestRecordPermission: { true }, startRecording: { _ in true },
      stopRecording: {})
  }
  static var testValue: AudioRecorderClient { AudioRecorderClient() }
}

@Suite(.dependencies) struct SpeechClientArticleTests {
  @Dependency(SpeechClient.self) private var speechClient
  @Dependency(AudioRecorderClient.self) private var recorder

  @Test func `an unimplemented endpoint returns its default`() async {
    expectUnimplemented("SpeechClient.authorizationStatus") {
      #expect(speechClient.authorizationStatus() == .denied)
    }
    await expectUnimplemented("SpeechClient.requestAuthorization") {
      #expect(await speechClient.requestAuthorization() == .denied)
    }
  }

  @Test func `an unimplemented stream ends without an element`() async {
    await expectUnimplemented("SpeechClient.startTask") {
      for try await result in await speechClient.startTask(request: SpeechRequest()) {
        Issue.record("unexpected \(result)")
      }
    }
  }

  @Test func `an implemented stream yields its results`() async throws {
    try await withDependencies {
      $0.context = .live
    } operation: {
      var texts: [String] = []
      for try await result in await speechClient.startTask(request: SpeechRequest()) {
        texts.append(result.text)
      }
      #expect(texts == ["hello"])
    }
  }

  @Test func `previews record without a microphone`() async throws {
    try await withDependencies {
      $0.context = .preview
    } operation: {
      #expect(await recorder.currentTime() == 10)
      #expect(await recorder.requestRecordPermission())
      let wasRecorded = try await recorder.startRecording(path: "a.wav")
      #expect(wasRecorded)
    }
  }

  @Test func `calling the recorder without an override fails the test`() async {
    await expectUnimplemented("AudioRecorderClient.startRecording") {
      _ = try? await recorder.startRecording(path: "a.wav")
    }
    await expectUnimplemented("AudioRecorderClient.stopRecording") {
      await recorder.stopRecording()
    }
  }
}
