extension SpeechClient {
  /// A client from its endpoints.
  public init(
    authorizationStatus: @escaping @Sendable () -> AuthorizationStatus,
    requestAuthorization: @escaping @Sendable () async -> AuthorizationStatus,
    startTask:
      @escaping @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
        SpeechRecognitionResult, any Error
      >,
    recognition:
      @escaping @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
        SpeechRecognitionEvent, any Error
      >,
    finishTask: @escaping @Sendable () async -> Void,
    supportedLocales: @escaping @Sendable () async -> [String],
    engines: @escaping @Sendable () async -> [SpeechEngineDescription]
  ) {
    self.authorizationStatus = authorizationStatus
    self.requestAuthorization = requestAuthorization
    self.startTask = startTask
    self.recognition = recognition
    self.finishTask = finishTask
    self.supportedLocales = supportedLocales
    self.engines = engines
  }

  /// Recognizes what is said in a file, a stream of buffers, or into a microphone; see the endpoint
  /// `startTask`.
  public func startTask(
    request: SpeechRequest
  ) async -> AsyncThrowingStream<SpeechRecognitionResult, any Error> {
    await startTask(request)
  }

  /// Recognizes speech and reports events; see the endpoint `recognition`.
  public func recognition(
    request: SpeechRequest
  ) async -> AsyncThrowingStream<SpeechRecognitionEvent, any Error> {
    await recognition(request)
  }
}
