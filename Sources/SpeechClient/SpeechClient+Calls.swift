extension SpeechClient {
  /// A client from its endpoints.
  public init(
    authorizationStatus: @escaping @Sendable () -> AuthorizationStatus,
    requestAuthorization: @escaping @Sendable () async -> AuthorizationStatus,
    startTask:
      @escaping @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
        SpeechRecognitionResult, any Error
      >,
    finishTask: @escaping @Sendable () async -> Void
  ) {
    self.authorizationStatus = authorizationStatus
    self.requestAuthorization = requestAuthorization
    self.startTask = startTask
    self.finishTask = finishTask
  }

  /// Recognises what is said in a file or a stream of buffers; see the endpoint `startTask`.
  public func startTask(
    request: SpeechRequest
  ) async -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    await startTask(request)
  }
}
