public import Wyoming

/// Timeouts and limits of the connection to a server.
public struct WyomingEngineOptions: Hashable, Sendable {
  /// The time to connect to the server, including name resolution; 5 s.
  public var connectTimeout = Duration.seconds(5)
  /// The time for a child process to start and load its model; 2 minutes.
  public var startTimeout = Duration.seconds(120)
  /// The time for a running server to describe itself; 10 s.
  public var describeTimeout = Duration.seconds(10)
  /// The time for the server to return the text after the end of an utterance, and to accept more audio
  /// before that; 30 s.
  public var answerTimeout = Duration.seconds(30)
  /// The largest accepted parts of the server's frames.
  public var limits = WyomingLimits()
  /// The name of the server's model; nil for the first one with the language.
  public var model: String?

  /// The default options.
  public init() {}
}
