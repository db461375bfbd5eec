import Glibc
import Wyoming

@testable import WyomingEngine

/// A WebSocket client that can send malformed frames.
///
/// `@unchecked`, because a connection is not `Sendable`; safe, because only one thread at a time
/// uses it.
final class WebSocketClient: @unchecked Sendable {
  /// What the server sends.
  enum Message: Equatable {
    case event(JSONValue)
    case pong([UInt8])
    case close(Int?)
    case end
  }

  private let link: ByteLink
  private var bytes: [UInt8] = []
  /// The pings that have not been sent.
  private var pending: ArraySlice<UInt8> = []

  /// Connects, and changes to WebSocket.
  init(_ address: WyomingAddress, query: String = "intent=transcription") throws {
    link = try connect(address)
    let request = """
      GET /v1/realtime?\(query) HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r
      Connection: Upgrade\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r
      Sec-WebSocket-Version: 13\r\n\r\n
      """
    try write(Array(request.utf8))
    var header = ""
    while !header.hasSuffix("\r\n\r\n") { header += String(decoding: try take(1), as: UTF8.self) }
    guard header.hasPrefix("HTTP/1.1 101 ") else { throw LinkError.ended }
  }

  /// Sends an event.
  func send(_ event: JSONValue) throws { try frame(1, event.text) }

  /// Sends an event with tenths of a second of silence at 24 kHz.
  func append(tenths: Int = 1) throws {
    let audio = String(repeating: "A", count: 6_400 * tenths)
    try send(["type": "input_audio_buffer.append", "audio": .string(audio)])
  }

  /// Sends a frame; `isFinal` and the reserved bits are in the first byte.
  func frame(
    _ opcode: UInt8, _ payload: [UInt8], isFinal: Bool = true, reserved: UInt8 = 0,
    isMasked: Bool = true, length: Int? = nil
  ) throws {
    let length = length ?? payload.count
    var frame = [(isFinal ? 0x80 : 0) | reserved << 4 | opcode]
    let mask: UInt8 = isMasked ? 0x80 : 0
    switch length {
    case ..<126: frame.append(mask | UInt8(length))
    case ..<65_536: frame += [mask | 126, UInt8(length >> 8), UInt8(truncatingIfNeeded: length)]
    default:
      frame.append(mask | 127)
      frame += stride(from: 56, through: 0, by: -8).map {
        UInt8(truncatingIfNeeded: length >> $0)
      }
    }
    let key: [UInt8] = [1, 2, 3, 4]
    if isMasked { frame += key }
    frame += isMasked ? payload.enumerated().map { $1 ^ key[$0 % 4] } : payload
    try write(frame)
  }

  /// Sends pings and reads nothing, until the server has read nothing for a while.
  ///
  /// - Throws: an error when the server has closed the connection.
  func flood() throws {
    let ping: [UInt8] = [0x89, 0xFD, 0, 0, 0, 0] + [UInt8](repeating: 0, count: 125)
    let pings = Array(repeatElement(ping, count: 500).joined())
    var failures = 0
    while failures < 30 {
      if pending.isEmpty { pending = pings[...] }
      let count = try link.write(pending)
      pending = pending.dropFirst(count)
      failures = count == 0 ? failures + 1 : 0
      if count == 0 { usleep(10_000) }
    }
  }

  /// Returns the next message.
  func next() throws -> Message {
    guard let first = try? take(2) else { return .end }
    var length = Int(first[1])
    if length > 125 {
      length = try take(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) }
    }
    let payload = try take(length)
    switch first[0] & 0x0F {
    case 8: return .close(payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]))
    case 10: return .pong(payload)
    default: return .event(JSONValue(parsing: payload) ?? .null)
    }
  }

  /// Returns the next event of a type, and drops the messages before it.
  @discardableResult
  func event(_ type: String) throws -> JSONValue {
    while true {
      switch try next() {
      case .event(let event): if event["type"]?.string == type { return event }
      case .pong: break
      case .close, .end: throw LinkError.ended
      }
    }
  }

  /// Returns the status code of the close frame, and drops the messages before it.
  func closeCode() throws -> Int? {
    while true {
      switch try next() {
      case .close(let code): return code
      case .end: throw LinkError.ended
      default: break
      }
    }
  }

  func close() { link.close() }

  private func write(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      _ = try link.wait(toWrite: true, within: TimeBudget(.seconds(60)))
      rest = rest.dropFirst(try link.write(rest))
    }
  }

  /// Returns the next `count` bytes.
  private func take(_ count: Int) throws -> [UInt8] {
    while bytes.count < count {
      _ = try link.wait(toWrite: false, within: TimeBudget(.seconds(60)))
      guard let more = try link.read() else { continue }
      guard !more.isEmpty else { throw LinkError.ended }
      bytes += more
    }
    defer { bytes.removeFirst(count) }
    return Array(bytes.prefix(count))
  }
}
