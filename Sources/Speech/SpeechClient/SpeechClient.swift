public import AudioCore
public import ClientDependencies

/// Recognizes speech in files and in streams of audio.
public struct SpeechClient: Sendable {
  /// Whether this machine can recognize speech, or the reason that it cannot.
  ///
  /// It searches for files, and loads Vosk's library but no model. If models are on a slow disk,
  /// call it from a task that may block.
  ///
  /// An engine in another process or on another machine is `notDetermined` until
  /// `requestAuthorization` has queried it, because a query here would block the caller.
  public var authorizationStatus: @Sendable () -> AuthorizationStatus = unimplemented(
    endpoint: "SpeechClient.authorizationStatus"
  ) { .denied(reason: $0.description) }

  /// Loads the model, so that the first task starts at once, and returns the authorization status.
  ///
  /// If the caller is canceled, the call returns `notDetermined` at once, and the model continues
  /// to load.
  public var requestAuthorization: @Sendable () async -> AuthorizationStatus = unimplemented(
    endpoint: "SpeechClient.requestAuthorization"
  ) { .denied(reason: $0.description) }

  /// Recognizes speech in a file, a stream of buffers, or a microphone's audio.
  ///
  /// Results arrive while the audio is recognized. An utterance has partial results and exactly one
  /// final result. Each result of an utterance replaces the previous result. If the engine fails in an utterance and
  /// continues, that utterance has no final result; `recognition` reports the loss. Sounds other
  /// than speech yield nothing.
  ///
  /// The stream ends after the last final result, when the audio has ended or `finishTask` was
  /// called. Canceling the consumer, or releasing the stream, ends the work at once. The stream
  /// throws `SpeechClientError`, or the error of the file, the stream of buffers, or the capture.
  public var startTask:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionResult, any Error
    > = unimplemented(endpoint: "SpeechClient.startTask") { .finished(throwing: $0) }

  /// Recognizes speech as `startTask` does, and reports more events.
  ///
  /// It also reports when speech begins and ends, the backlog of a live source, and lost audio with
  /// the reason.
  ///
  /// Its `.result` events are the results that `startTask` yields, and the stream ends and throws
  /// in the same way.
  public var recognition:
    @Sendable (_ request: SpeechRequest) async -> AsyncThrowingStream<
      SpeechRecognitionEvent, any Error
    > = unimplemented(endpoint: "SpeechClient.recognition") { .finished(throwing: $0) }

  /// Ends all running tasks as if their audio ended now: each stream yields its last final result
  /// and ends.
  ///
  /// The call returns when those results are in the streams, or at once if no task is running.
  /// Before it returns, it recognizes the backlog of a live source and up to 20 s of further audio;
  /// to skip this audio, cancel the consumer. A source that neither delivers audio for a second nor
  /// ends is abandoned. An engine that makes no progress for half a minute ends its task with
  /// `SpeechClientError.engineFailed`.
  public var finishTask: @Sendable () async -> Void = unimplemented(
    endpoint: "SpeechClient.finishTask"
  ) { _ in }

  /// The languages that a request may specify, as BCP 47 tags such as `en-US`, in alphabetical
  /// order.
  ///
  /// They are the languages of the models of the engine in use.
  public var supportedLocales: @Sendable () async -> [String] = unimplemented(
    endpoint: "SpeechClient.supportedLocales"
  ) { _ in [] }

  /// The engines that this program can choose from, with their models or their missing parts.
  public var engines: @Sendable () async -> [SpeechEngineDescription] = unimplemented(
    endpoint: "SpeechClient.engines"
  ) { _ in [] }

  /// Creates a client whose endpoints report an issue when they are called.
  public init() {}
}

extension SpeechClient {
  /// Creates a client from its endpoints.
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

  /// Recognizes speech in a file, a stream of buffers, or a microphone's audio; see the endpoint
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

extension SpeechClient: TestDependencyKey {
  /// A client whose endpoints report an issue when they are called.
  public static var testValue: SpeechClient { SpeechClient() }

  /// A client that recognizes the same sentence in any audio, word by word on `\.continuousClock`.
  public static var previewValue: SpeechClient { .preview() }
}

extension DependencyValues {
  /// The client that recognizes speech.
  public var speechClient: SpeechClient {
    get { self[SpeechClient.self] }
    set { self[SpeechClient.self] = newValue }
  }
}

/// The error of a task that could not recognize speech.
///
/// Errors of the file, the stream of buffers, or the microphone are thrown unchanged.
public enum SpeechClientError: Error, Hashable {
  /// No engine has a usable model; the reason names the remedy.
  case unavailable(reason: String)
  /// The grammar cannot be used; the reason names the line or the word, or the file that cannot be
  /// read.
  case invalidGrammar(reason: String)
  /// The engine failed during its work; a new task may succeed.
  case engineFailed(reason: String)
  /// The system has no threads or descriptors left for the task.
  case noResources(reason: String)
  /// The engine does not support the request; the reason names the word, the option, or the
  /// feature.
  case invalidRequest(reason: String)
}

extension SpeechClientError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .unavailable(let reason): "speech cannot be recognized: \(reason)"
    case .invalidGrammar(let reason): "the grammar cannot be used: \(reason)"
    case .engineFailed(let reason): "speech recognition failed: \(reason)"
    case .noResources(let reason): "speech recognition cannot start: \(reason)"
    case .invalidRequest(let reason): "the request cannot be met: \(reason)"
    }
  }
}

/// An engine that a program can choose, with its models or its missing parts.
public struct SpeechEngineDescription: Hashable, Sendable {
  /// The engine's name, such as `pocketsphinx`.
  public var name: String

  /// The engine's models, the default first; empty if the engine cannot be used.
  public var models: [SpeechModel]

  /// The reason that the engine cannot be used, with the package or path that would help; nil if
  /// the engine can be used.
  public var obstacle: String?

  /// Whether this engine, and not another engine of the list, currently recognizes requests.
  public var isInUse: Bool

  /// The engine's capabilities besides dictation, even if the engine cannot be used now.
  public var capabilities: Set<SpeechEngineCapability>

  /// Creates the description of an engine.
  public init(
    name: String, models: [SpeechModel], obstacle: String? = nil, isInUse: Bool = false,
    capabilities: Set<SpeechEngineCapability> = []
  ) {
    self.name = name
    self.models = models
    self.obstacle = obstacle
    self.isInUse = isInUse
    self.capabilities = capabilities
  }
}

extension SpeechEngineDescription {
  /// The description of the engine in previews.
  static let preview = SpeechEngineDescription(
    name: "preview", models: [SpeechModel(language: "en-US", location: "preview")], isInUse: true)
}

/// Whether speech can be recognized, in the terms of Apple's Speech framework.
public enum AuthorizationStatus: Hashable, Sendable {
  /// Unknown until `requestAuthorization` has been called.
  case notDetermined
  /// There is no usable engine or model; the reason names the remedy.
  case denied(reason: String)
  /// There is a model, but the process has no permission to read it.
  case restricted(reason: String)
  /// An engine and its model can be used.
  case authorized
}

extension AuthorizationStatus: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .notDetermined: "not determined"
    case .denied(let reason): "denied: \(reason)"
    case .restricted(let reason): "restricted: \(reason)"
    case .authorized: "authorized"
    }
  }
}
