import Wyoming

/// The client's end of a connection, whatever carries its bytes.
struct Peer: Sendable {
  /// Sends an event; it may wait for the client to take it.
  var send: @Sendable (WyomingEvent) async throws -> Void
  /// Is called when the work on an answer begins and when it ends: meanwhile nobody reads, and who
  /// carries the bytes has to find out whether the client is still there.
  var answering: @Sendable (Bool) -> Void = { _ in }
  /// Returns when the connection is closed, or when it is cancelled.
  var closed: @Sendable () async -> Void
  /// Ends the server's side of the connection once all events are sent, and returns when the client
  /// has ended its own, or when it is cancelled.
  var leave: @Sendable () async -> Void
}
