import NIOCore

/// Takes care of a client's side of a connection, from its first byte until it has gone.
///
/// - Held: a client may send a whole request and end its side before anybody serves it.
/// - Served: bytes are handed on. A client that has ended its side may await its answer (`nc -N`) or
///   have gone, and the system does not know which until something is sent: a connection that
///   nobody has is reset by that. So while an answer is due, a space is sent, which may stand before
///   a frame.
/// - Left: a socket that is closed with bytes in it that nobody has read resets the connection, and
///   the client may see an error in place of the last event that was sent to it. So the server ends
///   its side alone, and drops what still comes.
final class ClientHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// What the server does.
  enum Event: Sendable {
    /// Somebody reads from now on.
    case serve
    /// An answer is due, or it is none any more.
    case answering(Bool)
    /// The server ends its side after what was written; finished when the client has ended its own,
    /// or the connection is closed.
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

  /// - Parameter isSocket: whether a client that has gone resets the connection.
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
    case nil:
      context.triggerUserOutboundEvent(event, promise: promise)
      return
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
    guard context.channel.isActive else {
      clientEnd.finish()
      return
    }
    // It is written after all else, and closing would drop what has not been.
    context.writeAndFlush(wrapOutboundOut(ByteBuffer())).assumeIsolated().whenComplete { _ in
      guard context.channel.isActive, !self.hasClientEnded else {
        clientEnd.finish()
        return
      }
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
