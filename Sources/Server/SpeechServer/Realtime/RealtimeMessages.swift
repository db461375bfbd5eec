import NIOCore
import NIOWebSocket
import Synchronization

/// The messages of a client, which may be fragmented into frames.
struct RealtimeMessages {
  private static let mostFragments = 64

  private var frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator
  private let unfinished: UnfinishedMessage
  private var message = ByteBuffer()
  /// The size of the frames of `message`.
  private var size = 0
  /// The number of fragments in `message`.
  private var fragmentCount = 0
  /// The status code with which the client closes the connection.
  private(set) var closeCode: UInt16 = 1_000

  init(
    frames: NIOAsyncChannelInboundStream<WebSocketFrame>.AsyncIterator,
    unfinished: UnfinishedMessage
  ) {
    (self.frames, self.unfinished) = (frames, unfinished)
  }

  /// Returns the next message; nil when the client closes the connection.
  ///
  /// - Parameter pong: responds to a ping with these bytes.
  /// - Throws: `ServerFault` if the client violates the protocol, or the error of the connection.
  mutating func next(_ pong: (ByteBuffer) async -> Void) async throws -> String? {
    while let frame = try await unfinished.waiting({ try await frames.next() }) {
      if frame.opcode.isControlOpcode {
        unfinished.end(size: frame.size, isMessage: false)
      } else {
        size += frame.size
      }
      guard frame.maskKey != nil, !frame.rsv1, !frame.rsv2, !frame.rsv3 else {
        throw ServerFault.malformedFrame
      }
      var data = frame.unmaskedData
      switch frame.opcode {
      case .ping: await pong(data)
      case .pong: break
      case .connectionClose:
        if data.readableBytes > 0 {
          guard let code: UInt16 = data.readInteger(), Self.isCloseCode(code) else {
            throw ServerFault.malformedFrame
          }
          closeCode = code
        }
        return nil
      case .binary: throw ServerFault.binaryMessage
      case .text where fragmentCount == 0, .continuation where fragmentCount > 0:
        fragmentCount += 1
        guard fragmentCount <= Self.mostFragments,
          message.readableBytes + data.readableBytes <= HTTPService.longestMessage
        else { throw ServerFault.longMessage }
        message.writeBuffer(&data)
        guard frame.fin else { continue }
        unfinished.end(size: size, isMessage: true)
        defer { (message, size, fragmentCount) = (ByteBuffer(), 0, 0) }
        guard let text = String(validating: message.readableBytesView, as: UTF8.self) else {
          throw ServerFault.malformedText
        }
        return text
      default: throw ServerFault.malformedFrame
      }
    }
    return nil
  }

  /// Whether a client may send this status code.
  private static func isCloseCode(_ code: UInt16) -> Bool {
    (1_000...1_003).contains(code) || (1_007...1_014).contains(code)
      || (3_000...4_999).contains(code)
  }

  /// Reads and drops frames until the connection is closed.
  mutating func skip() async {
    while (try? await frames.next()) != nil {}
  }
}

/// Measures the message that a client has begun and not ended.
///
/// The handler is before the decoder of the frames, which keeps the bytes of an unfinished frame.
final class UnfinishedMessage: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private struct State {
    /// The number of bytes of the message.
    var size = 0
    /// Whether the server waits for a frame.
    var isWaiting = false
    /// The number of messages and of pieces of 256 KiB so far.
    var progress = 0
  }

  /// The size in bytes up to which a message may remain unfinished for any time.
  private static let smallest = 1 << 16

  // The lock is held to read or change the numbers.
  private let state = Mutex(State())
  /// A stream with an element each time that `currentWait` may have become a number.
  let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))

  /// Adds a handler to the channel of a new WebSocket; call this on the channel's event loop.
  static func add(to channel: any Channel) throws {
    let pipeline = channel.pipeline.syncOperations
    let decoder = try pipeline.handler(type: ByteToMessageHandler<WebSocketFrameDecoder>.self)
    try pipeline.addHandler(UnfinishedMessage(), position: .before(decoder))
  }

  /// The progress of a client whose large message the server waits for; nil if there is none.
  ///
  /// Control frames are no progress.
  var currentWait: Int? {
    state.withLock { $0.isWaiting && $0.size > Self.smallest ? $0.progress : nil }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    change { state in
      let pieces = state.size >> 18
      state.size += unwrapInboundIn(data).readableBytes
      state.progress += (state.size >> 18) - pieces
    }
    context.fireChannelRead(data)
  }

  /// Runs work that waits for a frame.
  fileprivate func waiting<Frame>(_ body: () async throws -> Frame) async rethrows -> Frame {
    change { $0.isWaiting = true }
    defer { change { $0.isWaiting = false } }
    return try await body()
  }

  /// Records that a message or a control frame with this number of bytes has ended.
  fileprivate func end(size: Int, isMessage: Bool) {
    change { state in
      state.size -= size
      if isMessage { state.progress += 1 }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    if currentWait != nil { changes.continuation.yield() }
  }
}

extension WebSocketFrame {
  /// The number of bytes of the frame with its header.
  fileprivate var size: Int {
    let extended = length < 126 ? 0 : length < 1 << 16 ? 2 : 8
    return 2 + extended + (maskKey == nil ? 0 : 4) + length
  }
}

extension ServerFault {
  static let malformedFrame = ServerFault(
    code: "protocol_error",
    text: "the frame is unmasked, out of order, or of an unknown type, or it has reserved bits")
  static let binaryMessage = ServerFault(
    code: "binary_message", text: "the message is binary; send JSON as text, and audio in base64")
  static let malformedText = ServerFault(
    code: "invalid_text", text: "the message is not UTF-8")
  static let longMessage = ServerFault(
    code: "message_too_big",
    text: "the message has more than 4 MiB or 64 frames; append the audio in smaller pieces")

  /// Creates the fault for an error that ends a connection; nil if the client has disconnected.
  init?(ending error: any Error) {
    switch error {
    case let fault as ServerFault: self = fault
    case NIOWebSocketError.invalidFrameLength: self = .longMessage
    case is NIOWebSocketError: self = .malformedFrame
    default: return nil
    }
  }

  /// The status code of the WebSocket protocol.
  var closeCode: UInt16 {
    switch self {
    case .malformedFrame: 1_002
    case .binaryMessage: 1_003
    case .malformedText: 1_007
    case .longMessage: 1_009
    case .busy: 1_013
    default: 1_001
    }
  }
}
