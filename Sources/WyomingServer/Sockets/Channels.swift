import NIOCore
import NIOPosix
import Wyoming

/// A connection as bytes that are read when they are asked for, and written when there is room.
typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

extension ByteChannel {
  /// For a channel's event loop alone; the channel has a `ClientHandler`.
  static func wrapping(_ channel: any Channel) throws -> ByteChannel {
    let connection = try ByteChannel(
      wrappingChannelSynchronously: channel,
      configuration: Configuration(
        // Two pieces of at most 64 KiB wait; then nothing is read from the socket.
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
        isOutboundHalfClosureEnabled: false))
    channel.triggerUserOutboundEvent(ClientHandler.Event.serve, promise: nil)
    return connection
  }

  /// Serves the client at the other end, and closes the connection.
  func serve(_ options: WyomingServerOptions, refusing fault: ServerFault? = nil) async {
    // An error here is that the client has gone: there is nobody to tell.
    try? await executeThenClose { input, output in
      let bytes = input.map { buffer throws in Array(buffer.readableBytesView) }
      let peer = Peer(
        send: { try await output.write(ByteBuffer(bytes: $0.bytes)) },
        answering: { trigger(.answering($0)) },
        closed: { await end { _ in } },
        leave: { await end { trigger(.leave(clientEnd: $0)) } })
      let conversation = Conversation(input: bytes, peer: peer, options: options)
      if let fault {
        await conversation.farewell(fault)
      } else {
        await conversation.run()
      }
    }
  }

  private func trigger(_ event: ClientHandler.Event) {
    channel.triggerUserOutboundEvent(event, promise: nil)
  }

  /// Returns when the connection is closed, when what begins says that it is over, or when it is
  /// cancelled.
  private func end(_ begin: (AsyncStream<Never>.Continuation) -> Void) async {
    let (ends, end) = AsyncStream.makeStream(of: Never.self)
    // A connection that is closed by then has nobody who takes an event.
    channel.closeFuture.whenComplete { _ in end.finish() }
    begin(end)
    for await _ in ends {}
  }
}

extension ByteChannel {
  /// Serves the client of a connection that has a `ClientHandler`, and closes it.
  static func serve(
    _ channel: any Channel, _ options: WyomingServerOptions, refusing fault: ServerFault?
  ) async {
    let connection = try? await channel.eventLoop.submit {
      let connection = try wrapping(channel)
      try channel.syncOptions?.setOption(.autoRead, value: true)
      return connection
    }.get()
    guard let connection else {
      // A client that has gone already is not served.
      channel.close(promise: nil)
      return
    }
    await connection.serve(options, refusing: fault)
  }
}

/// Runs with the thread that a server's sockets need, and ends it.
func withEventLoop<Result: Sendable>(
  _ body: (MultiThreadedEventLoopGroup) async throws -> Result
) async throws -> Result {
  let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
  do {
    let result = try await body(group)
    try await group.shutdownGracefully()
    return result
  } catch {
    try await group.shutdownGracefully()
    throw error
  }
}
