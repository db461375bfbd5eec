import ClientDependencies

/// Recognises speech in files and in streams of audio.
public struct SpeechClient: Sendable {
  /// Whether speech can be recognised on this machine, and why not; it looks, but loads nothing.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.authorizationStatus", from: origin).description)
  }

  /// The same, after the model has been loaded, so that the first task starts at once.
  public var requestAuthorization: @Sendable () async -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.requestAuthorization", from: origin).description)
  }

  /// Recognises what is said in a file or a stream of buffers.
  ///
  /// The results come while the audio does: for each utterance partial ones, each in place of the
  /// one before, and exactly one final. Non-speech yields nothing. The stream ends after the last
  /// final result, when the audio has ended or `finishTask` was called. Cancelling the consumer, or
  /// letting go of the stream, ends the work at once. The stream throws `SpeechClientError`, or
  /// what the file or the stream of buffers threw.
  public var startTask:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionResult, any Error
    > = { [origin = IssueOrigin.current] _ in
      .finished(throwing: reportUnimplemented("SpeechClient.startTask", from: origin))
    }

  /// Ends all running tasks as if their audio ended now: each stream yields its last final result
  /// and ends.
  ///
  /// It returns when those results are in the streams; without a task, at once.
  public var finishTask: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.finishTask", from: origin)
  }

  /// A client whose endpoints all report an issue when they are called.
  public init() {}
}
