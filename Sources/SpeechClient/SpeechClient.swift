import ClientDependencies

/// Recognizes speech in files and in streams of audio.
public struct SpeechClient: Sendable {
  /// Whether speech can be recognized on this machine, and why not; it looks for files, but loads
  /// no model.
  ///
  /// Vosk's library is loaded for the answer. If models lie on a slow disk, ask from a task that may
  /// wait.
  ///
  /// An engine in another process or on another machine is `notDetermined` until
  /// `requestAuthorization` has asked it: asking here would block the caller.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.authorizationStatus", from: origin).description)
  }

  /// The same, after the model has been loaded, so that the first task starts at once.
  ///
  /// If the caller is cancelled, it returns `notDetermined` at once; the model continues to load.
  public var requestAuthorization: @Sendable () async -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.requestAuthorization", from: origin).description)
  }

  /// Recognizes what is said in a file, a stream of buffers, or into a microphone.
  ///
  /// The results come while the audio does: for each utterance partial ones, each replacing the one
  /// before, and exactly one final one. An utterance in which the engine failed and continued has no
  /// final result; `recognition` reports it. Sounds other than speech yield nothing. The stream ends
  /// after the last final result, when the audio has ended or `finishTask` was called. Cancelling
  /// the consumer, or releasing the stream, ends the work at once. The stream throws
  /// `SpeechClientError`, or what the file, the stream of buffers, or the capture threw.
  public var startTask:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionResult, any Error
    > = { [origin = IssueOrigin.current] _ in
      .finished(throwing: reportUnimplemented("SpeechClient.startTask", from: origin))
    }

  /// Recognizes what is said as `startTask` does, and reports everything about it.
  ///
  /// It also reports when speech begins and ends, the backlog of a live source, and what was dropped
  /// or missing, and why.
  ///
  /// Otherwise the stream is that of `startTask`: its `.result`s are the elements of that stream, and
  /// it ends and throws in the same way.
  public var recognition:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionEvent, any Error
    > = { [origin = IssueOrigin.current] _ in
      .finished(throwing: reportUnimplemented("SpeechClient.recognition", from: origin))
    }

  /// Ends all running tasks as if their audio ended now: each stream yields its last final result
  /// and ends.
  ///
  /// It returns when those results are in the streams; without a task, at once. Before that, the
  /// backlog of a live source is recognized, and up to 20 s of what a source still delivers; to skip
  /// that, cancel the consumer. A source that neither delivers anything for a second nor ends is
  /// abandoned. An engine that makes no progress for half a minute ends its task with
  /// `SpeechClientError.engineFailed`.
  public var finishTask: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.finishTask", from: origin)
  }

  /// The languages that a request may ask for, as BCP 47 tags such as `en-US`, in
  /// alphabetical order.
  ///
  /// They are those of the models that the engine in use has found; none if it has found none.
  public var supportedLocales: @Sendable () async -> [String] = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.supportedLocales", from: origin)
    return []
  }

  /// The engines that this program can choose from: which of them can be used here, with which
  /// models, and what the others lack.
  public var engines: @Sendable () async -> [SpeechEngineDescription] = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.engines", from: origin)
    return []
  }

  /// A client whose endpoints all report an issue when they are called.
  public init() {}
}
