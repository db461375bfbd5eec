import ClientDependencies

/// The seam to speech recognition: what the toolkit needs of an engine, and no more.
///
/// An engine turns the samples of one utterance at a time into words. Everything around that
/// (conversion, finding the utterances, steady partial results, one time-line) is done above it,
/// alike for all engines.
public struct SpeechEngine: Sendable {
  /// The engine's name, for people and for choosing one: `pocketsphinx`.
  public var name = "unimplemented"

  /// Whether the engine and its model are there; it looks, but does not load.
  public var availability: @Sendable () -> SpeechEngineAvailability = {
    [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechEngine.availability", from: origin)
    return .unavailable(.failed(reason: "the engine is unimplemented"))
  }

  /// Every model that the engine can use on this machine, the one that it takes by itself first; it
  /// looks, but does not load.
  public var models: @Sendable () -> [SpeechModel] = { [origin = IssueOrigin.current] in
    reportUnimplemented("SpeechEngine.models", from: origin)
    return []
  }

  /// What the engine can do beside taking dictation; nothing, until an engine says so.
  public var capabilities: Set<SpeechEngineCapability> = []

  /// Whether the engine is a process or a machine of its own.
  ///
  /// Then `availability` and `models` wait for its answer, and a session that fails
  /// (`SpeechEngineError.failed`, `.unreachable`) costs one utterance: for the next one a new
  /// session is made. An engine within this process ends the stream where it fails.
  public var isRemote = false

  /// Makes a session, which loads the model where no loaded one is free.
  ///
  /// It blocks for as long as loading takes: call it on the thread that will use the session. The
  /// engine may keep what a session loaded for the next one, so that only the first is slow.
  public var makeSession:
    @Sendable (_ options: SpeechSessionOptions) throws -> any SpeechEngineSession = {
      [origin = IssueOrigin.current] _ in
      throw reportUnimplemented("SpeechEngine.makeSession", from: origin)
    }

  /// Makes what lets several sessions share the utterances of one stream; nil where an utterance
  /// can depend on what the session recognised before it.
  ///
  /// It loads no model, but for the few parameters that it needs.
  public var makeListener:
    (@Sendable (_ options: SpeechSessionOptions) throws -> any SpeechStreamListener)?

  /// An engine from its parts; those that are left out report an issue when they are used.
  public init() {}

  /// An engine from all of its parts; without `models`, the one of `availability` is the only one.
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
