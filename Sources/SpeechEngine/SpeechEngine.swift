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

  /// Makes a session, which loads the model where no loaded one is free.
  ///
  /// It blocks for as long as loading takes: call it on the thread that will use the session. The
  /// engine may keep what a session loaded for the next one, so that only the first is slow.
  public var makeSession:
    @Sendable (_ options: SpeechSessionOptions) throws -> any SpeechEngineSession = {
      [origin = IssueOrigin.current] _ in
      throw reportUnimplemented("SpeechEngine.makeSession", from: origin)
    }

  /// An engine from its parts; those that are left out report an issue when they are used.
  public init() {}

  /// An engine from all of its parts.
  public init(
    name: String,
    availability: @escaping @Sendable () -> SpeechEngineAvailability,
    makeSession:
      @escaping @Sendable (_ options: SpeechSessionOptions) throws ->
      any SpeechEngineSession
  ) {
    self.name = name
    self.availability = availability
    self.makeSession = makeSession
  }
}
