public import SpeechClient
public import Wyoming

/// An event that a server reports to its owner, for a log.
///
/// It omits the transcripts. Clients are numbered from 1 in the order in which they connect.
public enum WyomingServerReport: Equatable, Sendable {
  /// A client has connected.
  ///
  /// Clients on a Unix socket have no address; this is the server's.
  case connected(client: Int, from: WyomingAddress)

  /// A client got a transcript for this much audio.
  ///
  /// `elapsed` is the time from `audio-start` to the transcript. For live audio, the excess over
  /// `audio` is the time that a speaker waits.
  case recognized(client: Int, audio: Duration, elapsed: Duration)

  /// Part of a client's audio was not recognized.
  ///
  /// The transcript lacks its words, except those sent as chunks, and the protocol cannot report
  /// that. Times count from the client's `audio-start`.
  case dropped(client: Int, Range<Duration>, reason: SpeechRecognitionEvent.DropReason)

  /// A fault ended a client's connection.
  ///
  /// The code and the reason are those of the client's `error` event.
  case failed(client: Int, code: String, reason: String)

  /// The server is announced in the local network.
  ///
  /// The name differs from the requested one if another service has that.
  case announced(name: String)

  /// The server is not announced; clients that know its address can connect.
  case notAnnounced(reason: String)
}
