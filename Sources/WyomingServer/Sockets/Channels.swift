import NIOCore
import NIOPosix
import Wyoming

/// A connection as bytes that are read when they are asked for, and written when there is room.
typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

extension ByteChannel {
  /// For a channel's event loop alone.
  static func wrapping(_ channel: any Channel) throws -> ByteChannel {
    try channel.pipeline.syncOperations.addHandler(LeavingHandler())
    return try ByteChannel(
      wrappingChannelSynchronously: channel,
      configuration: Configuration(
        // Two pieces of at most 64 KiB wait; then nothing is read from the socket.
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
        isOutboundHalfClosureEnabled: false))
  }

  /// Serves the client at the other end, and closes the connection.
  func serve(_ options: WyomingServerOptions, refusing fault: ServerFault? = nil) async {
    // An error here is that the client has gone: there is nobody to tell.
    try? await executeThenClose { input, output in
      let bytes = input.map { buffer throws in Array(buffer.readableBytesView) }
      let conversation = Conversation(input: bytes, options: options, leave: leave) { event in
        try await output.write(ByteBuffer(bytes: event.bytes))
      }
      if let fault {
        await conversation.farewell(fault)
      } else {
        await conversation.run()
      }
    }
  }
}

extension ByteChannel {
  /// Serves the client of a connection that has not been read from, and closes it.
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

  /// Ends the server's side after what was written, and returns when the client has ended its own,
  /// or when it is cancelled.
  @Sendable private func leave() async {
    let (clientEnds, clientEnd) = AsyncStream.makeStream(of: Never.self)
    // A connection that is closed by then has nobody who takes the event.
    channel.closeFuture.whenComplete { _ in clientEnd.finish() }
    channel.triggerUserOutboundEvent(LeavingHandler.Leave(clientEnd: clientEnd), promise: nil)
    for await _ in clientEnds {}
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
