public import Wyoming

/// How long the engine waits for its server, and what it takes from it.
public struct WyomingEngineOptions: Hashable, Sendable {
  /// How long it may take to reach the server, its name included; 5 s.
  public var connectTimeout = Duration.seconds(5)
  /// How long a child process may take to start and to load its model; 2 minutes.
  public var startTimeout = Duration.seconds(120)
  /// How long a server that runs already may take to say what it can do; 10 s.
  public var describeTimeout = Duration.seconds(10)
  /// How long the server may take for the text once the utterance has ended, and for making room
  /// for more audio before that; 30 s.
  public var answerTimeout = Duration.seconds(30)
  /// How large the parts of the server's frames may be.
  public var limits = WyomingLimits()
  /// The name of the server's model; nil for the first one that knows the language.
  public var model: String?

  /// The default options.
  public init() {}
}
