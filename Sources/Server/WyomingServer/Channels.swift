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
  func serve(
    client: Int, _ options: WyomingServerOptions, _ watch: PeerWatch? = nil,
    refusing fault: ServerFault? = nil
  ) async {
    await options.report(.connected(client: client, from: peerAddress))
    // An error means that the client has disconnected.
    try? await executeThenClose { input, output in
      let bytes = input.map { buffer throws in Array(buffer.readableBytesView) }
      let peer = Peer(
        send: { try await output.write(ByteBuffer(bytes: $0.bytes)) },
        answering: { trigger(.answering($0)) },
        closed: { await end { _ in } },
        leave: { await end { end in trigger(.leave(whenClientEnds: { end.finish() })) } })
      let conversation = Conversation(
        client: client, input: bytes, peer: peer, options: options, watch: watch)
      if let fault {
        await conversation.farewell(fault)
      } else {
        await conversation.run()
      }
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

  /// Returns when the connection is closed, when `begin` finishes its continuation, or when the
  /// call is canceled.
  private func end(_ begin: (AsyncStream<Never>.Continuation) -> Void) async {
    let (ends, end) = AsyncStream.makeStream(of: Never.self)
    // A closed connection accepts no events, so `begin` alone would never end the wait.
    channel.closeFuture.whenComplete { _ in end.finish() }
    begin(end)
    for await _ in ends {}
  }

  /// Serves the client of a connection that has a `ClientHandler`, and closes the connection.
  static func serve(
    _ channel: any Channel, client: Int, _ options: WyomingServerOptions, _ watch: PeerWatch,
    refusing fault: ServerFault?
  ) async {
    guard let connection = await beginReading(channel, as: wrapping) else { return }
    await connection.serve(client: client, options, watch, refusing: fault)
  }

  /// Rejects a surplus client with little effort.
  ///
  /// The client gets an error event and one second to disconnect; no task is started and nothing is
  /// reported.
  static func refuse(_ channel: any Channel) {
    let timeout = channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    channel.writeAndFlush(ByteBuffer(bytes: ServerFault.busy.event.bytes), promise: nil)
    channel.triggerUserOutboundEvent(
      ClientHandler.Event.leave {
        timeout.cancel()
        channel.close(promise: nil)
      }, promise: nil)
  }
}

/// Wraps a client's channel on its event loop, and begins to read from it.
///
/// Closes the channel and returns nil if the client has disconnected.
func beginReading<Connection: Sendable>(
  _ channel: any Channel, as wrap: @escaping @Sendable (any Channel) throws -> Connection
) async -> Connection? {
  do {
    return try await channel.eventLoop.submit {
      let connection = try wrap(channel)
      try channel.syncOptions?.setOption(.autoRead, value: true)
      return connection
    }.get()
  } catch {
    channel.close(promise: nil)
    return nil
  }
}

/// Runs `body` with the thread for a server's sockets, and ends the thread.
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

/// Serves one client on standard input and output until the client disconnects.
func serveStandardStreams(_ options: WyomingServerOptions) async throws {
  try await withEventLoop { group in
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
      throw WyomingServerError.cannotListen(
        address: "stdio", reason: "standard input and output must be pipes or sockets: \(error)")
    }
    await channel.serve(client: 1, options)
  }
}

/// Manages a client's side of a connection until the client disconnects.
///
/// - Held: the bytes are stored, because a client may send a whole request and close its side
///   before it is served.
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
    /// Begins to read from a waiting client.
    ///
    /// The closure is called once if the client sends audio or requests the models.
    case listen(whenRequested: @Sendable () -> Void)
    /// Begins to read.
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
  private var listening: Listening?
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
    case .listen(let whenRequested):
      listening = Listening(whenRequested: whenRequested)
      context.read()
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
    (stage, listening) = (.served, nil)
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
      listening?.add(piece)
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
    case .held: if listening?.isActive == true { context.read() }
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

/// Detects in the first bytes of a waiting client whether it sends audio or requests the models.
private struct Listening {
  /// The maximum number of bytes to read from a waiting client.
  private static let longest = 1 << 16

  private let whenRequested: @Sendable () -> Void
  private var reader = FrameReader()
  private var count = 0
  private(set) var isActive = true

  init(whenRequested: @escaping @Sendable () -> Void) {
    self.whenRequested = whenRequested
  }

  mutating func add(_ piece: ByteBuffer) {
    guard isActive else { return }
    reader.add(piece.readableBytesView)
    count += piece.readableBytes
    // Malformed frames are ignored here; the conversation reports them.
    while let event = try? reader.next(longest: FrameReader.quick) {
      if event.type == "describe" || (event.type == "audio-chunk" && !event.payload.isEmpty) {
        return report()
      }
    }
    // Parsing a long text takes time, so it is not parsed while the client waits. A long text or
    // chunk counts as a request.
    if reader.hasLongText || count >= Self.longest { report() }
  }

  private mutating func report() {
    isActive = false
    whenRequested()
  }
}
