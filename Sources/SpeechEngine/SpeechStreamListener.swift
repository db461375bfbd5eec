/// What an engine learns of a stream by hearing it, without recognising anything: so much cheaper
/// than a session that several sessions can share the utterances of one stream.
///
/// Whatever the number of sessions, they give the words that one session would have given, because
/// each utterance begins with what one session would have known by then.
///
/// Thread safety: none. One thread at a time uses it.
public protocol SpeechStreamListener: AnyObject {
  /// What a session must know before the next utterance, for
  /// `SpeechEngineSession.beginUtterance(knowing:)`.
  var knowledge: any Sendable { get }

  /// What the sessions of such a stream say as `SpeechEngineSession.tailPadding`; none where it
  /// does not say.
  var tailPadding: Duration { get }

  /// Hears the next utterance, in the same pieces in which a session will hear it.
  func hear(_ utterance: [[Float]])
}

extension SpeechStreamListener {
  /// No silence beyond that of the utterance.
  public var tailPadding: Duration { .zero }
}
