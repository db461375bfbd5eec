public import SpeechClient
public import Wyoming

/// What a server allows its clients.
public struct WyomingServerOptions: Sendable {
  /// How many connections there may be at once, each with a recognizer of its own; 4.
  ///
  /// A further client gets an `error` event with the code `busy`, and its connection ends. It has
  /// five seconds to go; beyond 64 of them at once clients are cut off without an event.
  public var maximumConnections = 4

  /// How long a client may keep its place without audio, whatever else it sends, or leave events
  /// untaken; 30 s.
  ///
  /// A second of audio gives it all of the time back, and less audio its share. The time in which
  /// audio is recognized does not count. A client whose time is up gets an `error` event with the
  /// code `idle`, and its connection ends. Nil for any time, as for the client on standard
  /// input and output, where the client is whoever started the server.
  public var idleTimeout: Duration? = .seconds(30)

  /// How large the parts of a client's frames may be.
  public var limits = WyomingLimits(header: 1 << 16, data: 1 << 18, payload: 1 << 20)

  /// Whether clients on other machines may connect; false.
  ///
  /// The protocol has neither passwords nor encryption.
  public var allowsRemoteClients = false

  /// Adds to the request for a client's audio what the client cannot say.
  ///
  /// That is an end-point policy, a grammar, or a language for clients that name none.
  public var prepare: @Sendable (_ request: SpeechRequest) -> SpeechRequest = { $0 }

  /// Is called with a stretch of a client's audio that was not understood, and why; does nothing.
  ///
  /// The client's transcript lacks the words of it but for those that had been sent as chunks, and
  /// the protocol cannot tell it that. Times are counted from the client's `audio-start`.
  public var whenDropped:
    @Sendable (
      _ stretch: Range<Duration>, _ reason: SpeechRecognitionEvent.DropReason
    ) async -> Void = { _, _ in }

  /// The default options.
  public init() {}
}
