import Glibc
import NIOCore
import NIOPosix
import Wyoming

/// A connection whose bytes are read on demand and written when there is room.
typealias ByteChannel = NIOAsyncChannel<ByteBuffer, ByteBuffer>

extension ByteChannel {
  /// Wraps a channel with a `ClientHandler`; call this on the channel's event loop.
  static func wrapping(_ channel: any Channel) throws -> ByteChannel {
    let connection = try ByteChannel(
      wrappingChannelSynchronously: channel,
      configuration: Configuration(
        // Reading stops while two pieces of at most 64 KiB wait.
        backPressureStrategy: .init(lowWatermark: 1, highWatermark: 2),
        isOutboundHalfClosureEnabled: false))
    channel.triggerUserOutboundEvent(ClientHandler.Event.serve, promise: nil)
    return connection
  }

  /// Serves the client with this number, and closes the connection.
  func serve(client: Int, _ options: SpeechServerOptions, _ clients: ClientTable) async {
    await options.report(.connected(client: client, from: peerAddress))
    // An error means that the client has disconnected.
    try? await executeThenClose { input, output in
      let bytes = input.map { buffer throws in Array(buffer.readableBytesView) }
      let peer = Peer(
        send: { try await output.write(ByteBuffer(bytes: $0.bytes)) },
        answering: { trigger(.answering($0)) },
        closed: { await channel.untilClosed() },
        leave: {
          await channel.untilClosed { end in trigger(.leave(whenClientEnds: { end.finish() })) }
        })
      await Conversation(
        client: client, of: clients, input: bytes, peer: peer, options: options
      ).run()
    }
  }

  /// The client's address, or the server's if the client has none.
  private var peerAddress: WyomingAddress {
    let isNumbered = channel.remoteAddress?.ipAddress != nil
    return WyomingAddress(isNumbered ? channel.remoteAddress : channel.localAddress)
      ?? .stdio(command: nil)
  }

  private func trigger(_ event: ClientHandler.Event) {
    channel.triggerUserOutboundEvent(event, promise: nil)
  }
}

/// Serves the clients of a listener that speak the Wyoming protocol.
struct WyomingProtocol: ListenerProtocol {
  let options: SpeechServerOptions
  let clients: ClientTable

  func prepare(_ channel: any Channel) throws {
    // A client may close its side after `audio-stop` and wait for the transcript.
    try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
    try channel.pipeline.syncOperations.addHandler(ClientHandler(isSocket: true))
  }

  func serve(_ channel: any Channel, client: Int) async {
    await beginReading(channel, as: ByteChannel.wrapping)?.serve(client: client, options, clients)
  }
}

/// Serves one client on standard input and output until the client disconnects.
func serveStandardStreams(
  _ options: SpeechServerOptions, _ clients: ClientTable, in group: MultiThreadedEventLoopGroup
) async throws {
  guard let client = clients.connect(from: nil) else { return }
  defer { clients.disconnect(client) }
  // The channel closes its descriptors, so it gets duplicates.
  let (input, output) = (dup(STDIN_FILENO), dup(STDOUT_FILENO))
  let channel: ByteChannel
  do {
    channel = try await NIOPipeBootstrap(group: group)
      .channelOption(.allowRemoteHalfClosure, value: true)
      .takingOwnershipOfDescriptors(input: input, output: output) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(ClientHandler(isSocket: false))
          return try ByteChannel.wrapping(channel)
        }
      }
  } catch {
    close(input)
    close(output)
    throw SpeechServerError.cannotListen(
      address: "stdio", reason: "standard input and output must be pipes or sockets: \(error)")
  }
  // Its own table keeps other clients from replacing this client, because the server ends with it.
  await channel.serve(client: client, options, ClientTable(options))
}

/// Manages a client's side of a connection until the client disconnects.
///
/// - Held: the bytes are stored, because SwiftNIO reads all that a client has sent when the client
///   closes its side, even before it is served.
/// - Served: the bytes are passed on. A client that has closed its side may be waiting for a
///   response (`nc -N`), or may have disconnected. While a response is due, the server therefore
///   sends a space, which the protocol permits before a frame. If the client has disconnected, its
///   machine then resets the connection.
/// - Left: the server closes only its side, and drops later bytes. Closing a socket with unread
///   bytes would reset the connection, and the client might get an error instead of the last event.
final class ClientHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// A command from the server to this handler.
  enum Event: Sendable {
    /// Passes on what the client has sent, and later sends.
    case serve
    /// Records whether a response to the client is due.
    case answering(Bool)
    /// Closes the server's side after the written bytes.
    ///
    /// The closure is called when the client has closed its side or the connection is closed.
    case leave(whenClientEnds: @Sendable () -> Void)
  }

  private enum Stage {
    case held(ByteBuffer)
    case served
    case left(whenClientEnds: @Sendable () -> Void)
  }

  private var stage = Stage.held(ByteBuffer())
  private var isAnswering = false
  private var hasClientEnded = false
  private var mayProbe: Bool

  /// - Parameter isSocket: whether the connection is a socket, on which sending to a disconnected
  ///   client causes a reset.
  init(isSocket: Bool) {
    mayProbe = isSocket
  }

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    switch event as? Event {
    case .serve: serve(context)
    case .answering(let isAnswering):
      self.isAnswering = isAnswering
      probe(context)
    case .leave(let whenClientEnds): leave(context, whenClientEnds)
    case nil: return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
  }

  private func serve(_ context: ChannelHandlerContext) {
    guard case .held(let bytes) = stage else { return }
    stage = .served
    if bytes.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(bytes)) }
    context.fireChannelReadComplete()
    if hasClientEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
  }

  private func probe(_ context: ChannelHandlerContext) {
    guard mayProbe, isAnswering, hasClientEnded else { return }
    mayProbe = false
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: " ")), promise: nil)
  }

  private func leave(
    _ context: ChannelHandlerContext, _ whenClientEnds: @escaping @Sendable () -> Void
  ) {
    stage = .left(whenClientEnds: whenClientEnds)
    guard context.channel.isActive else { return whenClientEnds() }
    // An empty write completes after all earlier writes; closing at once would drop them.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
      guard context.channel.isActive, !self.hasClientEnded else { return whenClientEnds() }
      context.close(mode: .output, promise: nil)
      context.read()
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch stage {
    case .held(var bytes):
      var piece = unwrapInboundIn(data)
      // Makes `bytes` the only reference to the buffer, so that appending does not copy it.
      stage = .held(ByteBuffer())
      bytes.writeBuffer(&piece)
      stage = .held(bytes)
    case .served: context.fireChannelRead(data)
    case .left: break
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    switch stage {
    case .held: break
    case .served: context.fireChannelReadComplete()
    case .left: context.read()
    }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(.inputClosed) = event as? ChannelEvent {
      clientHasEnded()
      probe(context)
      if case .held = stage { return }
    }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    clientHasEnded()
    context.fireChannelInactive()
  }

  private func clientHasEnded() {
    hasClientEnded = true
    if case .left(let whenClientEnds) = stage { whenClientEnds() }
  }
}
