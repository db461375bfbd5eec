/// Parses a peer's bytes, which arrive in pieces of any size, into events.
///
/// Read all events before adding more bytes, so that the reader holds at most one frame and the
/// bytes after it.
package struct FrameReader: Sendable {
  private enum Stage {
    case header
    case data(FrameHeader)
    case payload(FrameHeader, [String: JSONValue])
    case broken(FrameError)
  }

  private let limits: WyomingLimits
  private var stage = Stage.header
  private var bytes: [UInt8] = []
  /// The index of the first byte that has not been parsed.
  private var begin = 0
  /// The end of the bytes that have been searched for a line feed.
  private var searched = 0

  /// Whether the last call of `next` skipped parsing because the text was too long.
  package private(set) var hasLongText = false

  /// The maximum size in bytes of a text that is parsed in far less than a millisecond.
  package static let quick = 1 << 14

  package init(limits: WyomingLimits = WyomingLimits()) {
    self.limits = limits
  }

  package mutating func add(_ more: some Sequence<UInt8>) {
    if case .broken = stage { return }
    if begin > 0 {
      bytes.removeFirst(begin)
      (begin, searched) = (0, searched - begin)
    }
    bytes.append(contentsOf: more)
  }

  /// Returns the next event; nil until more bytes arrive.
  ///
  /// After an error, it throws the same error again.
  ///
  /// - Parameter longest: the maximum number of bytes of a text to parse. If the next text is
  ///   longer, the result is nil and `hasLongText` is true.
  package mutating func next(longest: Int = .max) throws(FrameError) -> WyomingEvent? {
    hasLongText = false
    do throws(FrameError) {
      return try parse(longest: longest)
    } catch {
      stage = .broken(error)
      bytes = []
      throw error
    }
  }

  /// Checks that the connection did not end within a frame; call it after the last bytes.
  package func finish() throws(FrameError) {
    if case .broken(let error) = stage { throw error }
    guard case .header = stage, begin == bytes.count else { throw .truncated }
  }

  private mutating func parse(longest: Int) throws(FrameError) -> WyomingEvent? {
    while true {
      switch stage {
      case .header:
        guard let line = try readLine() else { return nil }
        guard line.count <= longest else {
          (begin, searched, hasLongText) = (line.startIndex, line.endIndex, true)
          return nil
        }
        stage = .data(try FrameHeader(line: line, limits: limits))
      case .data(let header):
        guard let data = read(header.dataLength) else { return nil }
        guard data.count <= longest else {
          (begin, searched, hasLongText) = (data.startIndex, data.startIndex, true)
          return nil
        }
        stage = .payload(header, try merged(header.data, with: data))
      case .payload(let header, let data):
        guard let payload = read(header.payloadLength) else { return nil }
        stage = .header
        return WyomingEvent(header.type, data, payload: Array(payload))
      case .broken(let error): throw error
      }
    }
  }

  private mutating func readLine() throws(FrameError) -> ArraySlice<UInt8>? {
    let end = bytes[max(begin, searched)...].firstIndex(of: UInt8(ascii: "\n"))
    searched = end.map { $0 + 1 } ?? bytes.count
    guard (end ?? bytes.count) - begin <= limits.header else {
      throw .headerTooLong(limit: limits.header)
    }
    guard let end else { return nil }
    defer { begin = end + 1 }
    return bytes[begin..<end]
  }

  private mutating func read(_ length: Int) -> ArraySlice<UInt8>? {
    guard bytes.count - begin >= length else { return nil }
    defer { (begin, searched) = (begin + length, begin + length) }
    return bytes[begin..<begin + length]
  }

  /// Merges the data in the frame's first line with the data after it.
  ///
  /// If both contain the same name, the value after the line is used.
  private func merged(
    _ inline: [String: JSONValue], with data: ArraySlice<UInt8>
  ) throws(FrameError) -> [String: JSONValue] {
    guard !data.isEmpty else { return inline }
    let object = try FrameHeader.jsonObject(data, part: "data")
    return inline.merging(object) { $1 }
  }
}

/// The first line of a frame: its type, data, and the lengths of the following parts.
struct FrameHeader {
  let type: String
  let data: [String: JSONValue]
  let dataLength: Int
  let payloadLength: Int

  init(line: some Collection<UInt8>, limits: WyomingLimits) throws(FrameError) {
    let object = try Self.jsonObject(line, part: "first line")
    guard let type = object["type"]?.string else { throw .typeMissing }
    self.type = type
    data = try Self.object(object["data"])
    dataLength = try Self.length("data_length", in: object)
    payloadLength = try Self.length("payload_length", in: object)
    try Self.check(dataLength, atMost: limits.data, of: "data")
    try Self.check(payloadLength, atMost: limits.payload, of: "payload")
  }

  /// Parses a part of a frame as a JSON object.
  fileprivate static func jsonObject(
    _ bytes: some Collection<UInt8>, part: String
  ) throws(FrameError) -> [String: JSONValue] {
    guard let object = try JSONReader.value(of: bytes, part: part).object else {
      throw .notJSON(part: part)
    }
    return object
  }

  /// Returns the members of an object; missing data and null count as empty.
  private static func object(_ value: JSONValue?) throws(FrameError) -> [String: JSONValue] {
    guard let value, value != .null else { return [:] }
    guard let object = value.object else { throw .notJSON(part: "data") }
    return object
  }

  private static func length(
    _ field: String, in object: [String: JSONValue]
  ) throws(FrameError) -> Int {
    guard let value = object[field], value != .null else { return 0 }
    guard let length = value.integer, length >= 0 else { throw .lengthInvalid(field: field) }
    return length
  }

  private static func check(
    _ length: Int, atMost limit: Int, of part: String
  ) throws(FrameError) {
    guard length <= limit else { throw .tooLong(part: part, length: length, limit: limit) }
  }
}

/// The reason that bytes are not a frame.
///
/// After such an error, later bytes cannot be parsed.
package enum FrameError: Error, Hashable {
  /// A part of a frame is not a JSON object.
  case notJSON(part: String)
  /// The JSON of a part is nested deeper than 32 levels.
  case tooDeep(part: String)
  case typeMissing
  /// A length is not a whole number, or is negative.
  case lengthInvalid(field: String)
  case tooLong(part: String, length: Int, limit: Int)
  case headerTooLong(limit: Int)
  /// The bytes end within a frame.
  case truncated
}

extension FrameError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .notJSON(let part): "the \(part) of a frame is not a JSON object"
    case .tooDeep(let part):
      "the \(part) of a frame is nested deeper than \(JSONReader.deepest) levels"
    case .typeMissing: "a frame lacks the string \"type\""
    case .lengthInvalid(let field): "\(field) of a frame is not a whole number of 0 or more"
    case .tooLong(let part, let length, let limit):
      "the \(part) of a frame has \(length) bytes; the limit is \(limit)"
    case .headerTooLong(let limit): "the first line of a frame is longer than \(limit) bytes"
    case .truncated: "the bytes end within a frame"
    }
  }
}

/// The size limits of a peer's frames.
///
/// A larger part ends the connection before its bytes are read.
public struct WyomingLimits: Hashable, Sendable {
  /// The maximum size of the first line, in bytes; by default 1 MiB.
  public var header: Int
  /// The maximum size of the data after the first line, in bytes; by default 1 MiB.
  public var data: Int
  /// The maximum size of the payload after the data, in bytes; by default 4 MiB, ten seconds of
  /// audio in the largest format.
  public var payload: Int

  /// Creates limits in bytes, each at least 1.
  public init(header: Int = 1 << 20, data: Int = 1 << 20, payload: Int = 4 << 20) {
    self.header = header
    self.data = data
    self.payload = payload
  }
}
