import NIOCore

/// Manages a client's side of a connection until the client disconnects.
///
/// - Held: a client may send a whole request and end its side before it is served.
/// - Served: bytes are passed on. A client that has ended its side may wait for its answer (`nc
///   -N`) or have disconnected; only sending shows which, because it resets a dead connection. So
///   while an answer is due, a space is sent, which is allowed before a frame.
/// - Left: closing a socket with unread bytes resets the connection, so that the client may get an
///   error instead of the last event. So the server ends only its side, and drops later bytes.
final class ClientHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// A command of the server.
  enum Event: Sendable {
    /// Reading begins.
    case serve
    /// Whether an answer is due.
    case answering(Bool)
    /// The server ends its side after the written bytes. Finished when the client ends its side or
    /// the connection is closed.
    case leave(clientEnd: AsyncStream<Never>.Continuation)
  }

  private enum Stage {
    case held([ByteBuffer])
    case served
    case left(AsyncStream<Never>.Continuation)
  }

  private var stage = Stage.held([])
  private var isAnswering = false
  private var hasClientEnded = false
  private var mayProbe: Bool

  /// - Parameter isSocket: whether sending to a disconnected client resets the connection.
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
    case .leave(let clientEnd): leave(context, clientEnd)
    case nil: return context.triggerUserOutboundEvent(event, promise: promise)
    }
    promise?.succeed()
  }

  private func serve(_ context: ChannelHandlerContext) {
    guard case .held(let pieces) = stage else { return }
    stage = .served
    for piece in pieces { context.fireChannelRead(wrapInboundOut(piece)) }
    context.fireChannelReadComplete()
    if hasClientEnded { context.fireUserInboundEventTriggered(ChannelEvent.inputClosed) }
  }

  private func probe(_ context: ChannelHandlerContext) {
    guard mayProbe, isAnswering, hasClientEnded else { return }
    mayProbe = false
    context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: " ")), promise: nil)
  }

  private func leave(
    _ context: ChannelHandlerContext, _ clientEnd: AsyncStream<Never>.Continuation
  ) {
    stage = .left(clientEnd)
    guard context.channel.isActive else { return clientEnd.finish() }
    // An empty write completes after all others; closing would drop pending ones.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
      guard context.channel.isActive, !self.hasClientEnded else { return clientEnd.finish() }
      context.close(mode: .output, promise: nil)
      context.read()
    }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch stage {
    case .held(let pieces): stage = .held(pieces + [unwrapInboundIn(data)])
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
    if case .left(let clientEnd) = stage { clientEnd.finish() }
  }
}
