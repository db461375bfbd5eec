import NIOCore
import NIOPosix
import Wyoming

/// A connection as bytes that are read when they are asked for, and written when there is room.
typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

extension ByteChannel {
  /// For a channel's event loop alone.
  static func wrapping(_ channel: any Channel) throws -> ByteChannel {
    try ByteChannel(
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
      let conversation = Conversation(input: bytes, options: options) { event in
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
