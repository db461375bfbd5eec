/// The adaptation to a stream's voice and room, computed without recognizing the stream.
///
/// It is so much cheaper than a session that several sessions can share the utterances of a stream.
/// They return the words that one session would have returned, because each utterance begins with
/// the state that one session would have by then.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechAdaptation: AnyObject {
  /// The state before the next utterance, for
  /// `SpeechEngineSession.beginUtterance(adaptationState:)`.
  var state: any Sendable { get }

  /// The `SpeechEngineSession.tailPadding` of the stream's sessions; none by default.
  var tailPadding: Duration { get }

  /// Adapts to the next utterance, given in the same pieces in which a session will get it.
  func add(_ utterance: [[Float]])
}

extension SpeechAdaptation {
  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}

/// The adaptation of an engine that does not adapt: no utterance depends on those before it, and
/// every session may take any utterance.
///
/// ```swift
/// engine.makeAdaptation = { _ in NoAdaptation() }
/// ```
public final class NoAdaptation: SpeechAdaptation {
  /// The `SpeechEngineSession.tailPadding` of the engine's sessions.
  public let tailPadding: Duration

  /// Creates an adaptation for sessions that need this much silence after an utterance.
  public init(tailPadding: Duration = .zero) {
    self.tailPadding = tailPadding
  }

  /// An empty state.
  public var state: any Sendable { () }

  /// Does nothing.
  public func add(_ utterance: [[Float]]) {}
}
