public import AudioCore
public import ClientDependencies

/// The interface between the toolkit and a speech recognition engine.
///
/// An engine turns the samples of one utterance at a time into words. Everything around that
/// (conversion, finding utterances, stable partial results, one timeline) is done above it, in the
/// same way for all engines.
public struct SpeechEngine: Sendable {
  /// The engine's name, human-readable and for choosing one: `pocketsphinx`.
  public var name = "unimplemented"

  /// Whether the engine and its model can be used; it loads no model.
  public var availability: @Sendable () -> SpeechEngineAvailability = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechEngine.availability", from: origin)
    return .unavailable(.failed(reason: "the engine is unimplemented"))
  }

  /// Every model that the engine can use on this machine, its default first; it loads none.
  public var models: @Sendable () -> [SpeechModel] = { [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechEngine.models", from: origin)
    return []
  }

  /// What the engine can do besides dictation; nothing by default.
  public var capabilities: Set<SpeechEngineCapability> = []

  /// Whether the engine runs in another process or on another machine.
  ///
  /// If so, `availability` and `models` wait for it.
  public var isRemote = false

  /// Whether a failed session (`SpeechEngineError.failed`, `.unreachable`) loses only one utterance.
  ///
  /// The next utterance gets a new session; the third failure in a row ends the stream. Otherwise the
  /// first failure does.
  public var survivesFailedUtterance = false

  /// How much audio a session gets before its hypothesis is read again: longer where a reading costs
  /// a decode of the whole utterance, 80 ms for an engine that decodes as the audio comes.
  ///
  /// While the recognizer lags behind a live source, no hypothesis is read.
  public var partialInterval: Duration = .milliseconds(80)

  /// The shortest and longest utterance that the engine accepts.
  ///
  /// A shorter one is padded with silence; a longer one is cut at a quiet point, even if the policy
  /// allows more.
  public var utteranceLength: ClosedRange<Duration> = .zero ... .seconds(3600)

  /// Whether the engine recognizes more when neighboring utterances of a file are joined.
  ///
  /// Joined audio is at most the longest utterance or `EndpointPolicy.maximumLength`, whichever is less.
  /// Silence longer than about half a second is removed. The words are then divided into several
  /// results, at sentences and pauses.
  public var prefersLongUtterances = false

  /// Whether the engine implements `SpeechEngineSession.anticipateEnd`.
  ///
  /// If so, its sessions get at most 200 ms of a silence (or the policy's `tailPadding`) unless speech
  /// resumes.
  public var anticipatesEnd = false

  /// Makes a session, which loads the model if no loaded one is free.
  ///
  /// It blocks for as long as loading takes: call it on the thread that will use the session. It
  /// connects to nothing; `SpeechEngineSession.prepare` does. The engine may keep the loaded model
  /// for the next session, so that only the first one is slow.
  public var makeSession:
    @Sendable (_ options: SpeechSessionOptions) throws -> any SpeechEngineSession = {
      [origin = IssueOrigin.current] _ in
      throw reportUnimplemented("SpeechEngine.makeSession", from: origin)
    }

  /// Creates the adaptation that lets several sessions share one stream; nil if an utterance can
  /// depend on the recognition of those before it.
  ///
  /// An engine that does not adapt makes `NoAdaptation`. The adaptation loads only the model
  /// parameters that it needs.
  public var makeAdaptation:
    (@Sendable (_ options: SpeechSessionOptions) throws -> any SpeechAdaptation)?

  /// The engine that handles a stream instead of this one, with that engine's own properties; nil
  /// for this one.
  ///
  /// An engine that consists of several chooses by the options, except their grammar, which is read
  /// later.
  public var choose: @Sendable (_ options: SpeechSessionOptions) -> SpeechEngine? = { _ in nil }

  /// An engine from its parts; omitted ones report an issue when they are used.
  public init() {}

  /// An engine from its parts; without `models`, the model of `availability` is the only one.
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
  /// The engine cannot be used; the error says why, and what would help.
  case unavailable(SpeechEngineError)

  /// The model, if the engine is ready.
  public var model: SpeechModel? {
    if case .ready(let model) = self { model } else { nil }
  }

  /// Ready with the model that `find` returns; unavailable if it throws.
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
  /// In tests it is unimplemented: override it, for example with the scripted one of
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
  /// It is empty until the program sets it; while it is empty, `\.speechEngine` is the only one.
  public var speechEngines: [SpeechEngine] {
    get { self[SpeechEnginesKey.self] }
    set { self[SpeechEnginesKey.self] = newValue }
  }
}
