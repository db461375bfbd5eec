import NIOCore

/// Ends the server's side of a connection, and reads on until the client has ended its own.
///
/// A socket that is closed with bytes in it that nobody has read resets the connection, and the
/// client may see an error in place of the last event that was sent to it. What comes after the
/// server's end is dropped.
final class LeavingHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundIn = ByteBuffer

  /// The event that begins it.
  struct Leave: Sendable {
    /// Is finished when the client has ended its side, or the connection is closed.
    let clientEnd: AsyncStream<Never>.Continuation
  }

  private var leave: Leave?
  private var hasClientEnded = false

  func triggerUserOutboundEvent(
    context: ChannelHandlerContext, event: Any, promise: EventLoopPromise<Void>?
  ) {
    guard let leave = event as? Leave else {
      context.triggerUserOutboundEvent(event, promise: promise)
      return
    }
    promise?.succeed()
    self.leave = leave
    guard context.channel.isActive, !hasClientEnded else {
      leave.clientEnd.finish()
      return
    }
    // It comes after all that was written.
    context.close(mode: .output, promise: nil)
    context.read()
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    if leave == nil { context.fireChannelRead(data) }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if leave == nil { context.fireChannelReadComplete() } else { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case .some(.inputClosed) = event as? ChannelEvent { clientHasEnded() }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    clientHasEnded()
    context.fireChannelInactive()
  }

  private func clientHasEnded() {
    hasClientEnded = true
    leave?.clientEnd.finish()
  }
}
