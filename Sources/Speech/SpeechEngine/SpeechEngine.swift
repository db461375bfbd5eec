public import AudioCore
public import ClientDependencies

/// The interface between the toolkit and a speech recognition engine.
///
/// An engine turns the samples of one utterance at a time into words. Everything else (conversion,
/// finding utterances, stable partial results, one timeline) is done above the engine, in the same
/// way for all engines.
public struct SpeechEngine: Sendable {
  /// The engine's name, such as `pocketsphinx`, by which users choose the engine.
  public var name = "unimplemented"

  /// Returns whether the engine and its model can be used, without loading the model.
  public var availability: @Sendable () -> SpeechEngineAvailability = unimplemented(
    endpoint: "SpeechEngine.availability"
  ) { _ in .unavailable(.failed(reason: "the engine is unimplemented")) }

  /// Returns every model that the engine can use on this machine, the default first, without
  /// loading a model.
  public var models: @Sendable () -> [SpeechModel] = unimplemented(endpoint: "SpeechEngine.models")
  { _ in [] }

  /// The engine's capabilities besides dictation; empty by default.
  public var capabilities: Set<SpeechEngineCapability> = []

  /// Whether the engine runs in another process or on another machine.
  ///
  /// If so, `availability` and `models` wait for a response.
  public var isRemote = false

  /// Creates a session, which loads the model if no loaded model is free.
  ///
  /// It blocks during loading, so call it on the thread that will use the session. It does not
  /// connect to a server; `SpeechEngineSession.prepare` does. The engine may keep the loaded model
  /// for the next session, so that only the first session is slow. Several sessions may share the
  /// utterances of a stream.
  public var makeSession:
    @Sendable (_ options: SpeechSessionOptions) throws -> any SpeechEngineSession = unimplemented(
      endpoint: "SpeechEngine.makeSession")

  /// Returns the engine that handles a stream instead of this engine; nil for this engine.
  ///
  /// The returned engine's own properties then apply. An engine that combines several engines
  /// chooses by all options except the grammar's text, which is read later.
  public var choose: @Sendable (_ options: SpeechSessionOptions) -> SpeechEngine? = { _ in nil }

  /// Frees memory that only later utterances would use; does nothing by default.
  ///
  /// It blocks for up to the duration of a short utterance. Loaded models are kept, and sessions
  /// may be in use.
  package var returnMemory: @Sendable () -> Void = {}

  /// Creates an engine whose endpoints report an issue when they are used.
  public init() {}

  /// Creates an engine; without `models`, the model of `availability` is the only model.
  public init(
    name: String,
    availability: @escaping @Sendable () -> SpeechEngineAvailability,
    models: (@Sendable () -> [SpeechModel])? = nil,
    makeSession:
      @escaping @Sendable (_ options: SpeechSessionOptions) throws ->
      any SpeechEngineSession
  ) {
    self.name = name
    self.availability = availability
    self.models = models ?? { availability().model.map { [$0] } ?? [] }
    self.makeSession = makeSession
  }
}

/// Whether an engine can be used on this machine.
public enum SpeechEngineAvailability: Equatable, Sendable {
  /// The engine can be used, with this model.
  case ready(SpeechModel)
  /// The engine cannot be used; the error contains the reason and the remedy.
  case unavailable(SpeechEngineError)

  /// The model, if the engine is ready.
  public var model: SpeechModel? {
    if case .ready(let model) = self { model } else { nil }
  }

  /// Creates the availability: ready with the model that `find` returns; unavailable if it throws.
  package init(_ find: () throws(SpeechEngineError) -> SpeechModel) {
    do throws(SpeechEngineError) { self = .ready(try find()) } catch { self = .unavailable(error) }
  }
}

extension SpeechEngine: TestDependencyKey {
  /// An engine that reports an issue when it is used.
  public static var testValue: SpeechEngine { SpeechEngine() }
}

extension DependencyValues {
  /// The speech engine below the speech client.
  ///
  /// In tests it is unimplemented: override it, for example with the scripted engine of
  /// `SyrinxTestSupport`.
  public var speechEngine: SpeechEngine {
    get { self[SpeechEngine.self] }
    set { self[SpeechEngine.self] = newValue }
  }
}

/// The key of `\.speechEngines`.
private enum SpeechEnginesKey: DependencyKey {
  static var liveValue: [SpeechEngine] { [] }
  static var testValue: [SpeechEngine] { [] }
}

extension DependencyValues {
  /// The engines that a program can choose from, for `SpeechClient.engines`.
  ///
  /// It is empty until the program sets it; while it is empty, `\.speechEngine` is the only engine.
  public var speechEngines: [SpeechEngine] {
    get { self[SpeechEnginesKey.self] }
    set { self[SpeechEnginesKey.self] = newValue }
  }
}
