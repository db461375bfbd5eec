import ClientDependencies

/// Recognises speech in files and in streams of audio.
public struct SpeechClient: Sendable {
  /// Whether speech can be recognised on this machine, and why not; it looks for files, but loads
  /// no model.
  ///
  /// Vosk's library is loaded for the answer. Where models lie on a slow disk ask from a task that
  /// may wait.
  ///
  /// An engine in another process or on another machine is not asked here, where nothing may wait:
  /// it is `notDetermined` until `requestAuthorization` has asked it.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.authorizationStatus", from: origin).description)
  }

  /// The same, after the model has been loaded, so that the first task starts at once.
  ///
  /// A caller that is cancelled leaves with `notDetermined`; what has begun to load still does.
  public var requestAuthorization: @Sendable () async -> AuthorizationStatus = {
    [origin = IssueOrigin.current] in
    .denied(
      reason: reportUnimplemented("SpeechClient.requestAuthorization", from: origin).description)
  }

  /// Recognises what is said in a file, a stream of buffers, or into a microphone.
  ///
  /// The results come while the audio does: for each utterance partial ones, each in place of the
  /// one before, and exactly one final, but for one in which a remote engine failed: it has none,
  /// and `recognition` says so. Non-speech yields nothing. The stream ends after the last
  /// final result, when the audio has ended or `finishTask` was called. Cancelling the consumer, or
  /// letting go of the stream, ends the work at once. The stream throws `SpeechClientError`, or
  /// what the file, the stream of buffers or the capture threw.
  public var startTask:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionResult, any Error
    > = { [origin = IssueOrigin.current] _ in
      .finished(throwing: reportUnimplemented("SpeechClient.startTask", from: origin))
    }

  /// Recognises what is said as `startTask` does, and tells everything about it.
  ///
  /// That is when speech begins and ends, what of a live source waits, and what was dropped
  /// or missing, and why.
  ///
  /// The stream is that of `startTask` in everything else: its `.result`s are that one's elements,
  /// and it ends and throws alike.
  public var recognition:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionEvent, any Error
    > = { [origin = IssueOrigin.current] _ in
      .finished(throwing: reportUnimplemented("SpeechClient.recognition", from: origin))
    }

  /// Ends all running tasks as if their audio ended now: each stream yields its last final result
  /// and ends.
  ///
  /// It returns when those results are in the streams; without a task, at once. Before that all is
  /// heard that has come from a live source and waits, and up to 20 s of what a source still gives;
  /// whoever has no time for that cancels the consumer. A source that gives
  /// nothing for a second, and does not end either, is not waited for; an engine that has not moved
  /// for half a minute ends its task with `SpeechClientError.engineFailed`.
  public var finishTask: @Sendable () async -> Void = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.finishTask", from: origin)
  }

  /// The languages that a request may ask for, as BCP 47 tags such as `en-US`, in
  /// alphabetical order.
  ///
  /// They are those of the models that the engine in use has found; none where it has none.
  public var supportedLocales: @Sendable () async -> [String] = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.supportedLocales", from: origin)
    return []
  }

  /// The engines that this program can choose from: which of them work here, with which models, and
  /// what the others lack.
  public var engines: @Sendable () async -> [SpeechEngineDescription] = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechClient.engines", from: origin)
    return []
  }

  /// A client whose endpoints all report an issue when they are called.
  public init() {}
}
