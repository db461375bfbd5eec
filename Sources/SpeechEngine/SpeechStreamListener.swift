/// What an engine learns about a stream without recognizing it: so much cheaper than a session that
/// several sessions can share the utterances of one stream.
///
/// Whatever their number, the sessions return the words that one session would have returned,
/// because each utterance begins with what one session would have known by then.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechStreamListener: AnyObject {
  /// What a session must know before the next utterance, for
  /// `SpeechEngineSession.beginUtterance(knowing:)`.
  var knowledge: any Sendable { get }

  /// The `SpeechEngineSession.tailPadding` of the stream's sessions; none by default.
  var tailPadding: Duration { get }

  /// Takes the next utterance, in the same pieces in which a session will get it.
  func add(_ utterance: [[Float]])
}

extension SpeechStreamListener {
  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}

/// The listener of an engine in which no utterance depends on those before it: there is nothing to
/// learn, and every session may take any utterance.
///
/// ```swift
/// engine.makeListener = { _ in IndependentUtterances() }
/// ```
public final class IndependentUtterances: SpeechStreamListener {
  /// The `SpeechEngineSession.tailPadding` of the engine's sessions.
  public let tailPadding: Duration

  /// A listener for sessions that need this much silence after an utterance.
  public init(tailPadding: Duration = .zero) {
    self.tailPadding = tailPadding
  }

  /// Nothing.
  public var knowledge: any Sendable { () }

  /// Learns nothing.
  public func add(_ utterance: [[Float]]) {}
}
