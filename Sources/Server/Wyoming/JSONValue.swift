/// A JSON value of an event.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case integer(Int)
  case number(Double)
  case string(String)
  case array([JSONValue])
  case object([String: JSONValue])
}

extension JSONValue {
  /// Parses a text; nil if it is not JSON.
  package init?(parsing text: some Collection<UInt8>) {
    guard let value = try? JSONReader.value(of: text, part: "text") else { return nil }
    self = value
  }

  /// A member of an object.
  package subscript(name: String) -> JSONValue? { object?[name] }

  package var string: String? {
    if case .string(let value) = self { value } else { nil }
  }

  package var integer: Int? {
    switch self {
    case .integer(let value): value
    case .number(let value): Int(exactly: value)
    default: nil
    }
  }

  package var number: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  package var bool: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  package var array: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var object: [String: JSONValue]? {
    if case .object(let value) = self { value } else { nil }
  }
}

extension JSONValue: Encodable {
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .integer(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  package init(stringLiteral value: String) { self = .string(value) }
  package init(integerLiteral value: Int) { self = .integer(value) }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
  package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  package init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}

/// Parses JSON text in one pass, in time that is linear in its length.
///
/// `JSONDecoder` tries each type for each value and reports each failure with its path. For a small
/// nested text, this takes minutes.
struct JSONReader {
  /// The deepest nesting of arrays and objects; the events of the protocol have six levels.
  static let deepest = 32

  private let bytes: [UInt8]
  /// The name of the parsed part of the frame, for errors.
  private let part: String
  private var position = 0
  private var depth = 0

  /// Parses a text that contains one value.
  ///
  /// - Throws: `.notJSON`, `.tooDeep`.
  static func value(
    of bytes: some Collection<UInt8>, part: String
  ) throws(FrameError) -> JSONValue {
    var reader = JSONReader(bytes: Array(bytes), part: part)
    let value = try reader.readValue()
    guard reader.position == reader.bytes.count else { throw reader.invalid }
    return value
  }

  private init(bytes: [UInt8], part: String) {
    (self.bytes, self.part) = (bytes, part)
  }

  private var invalid: FrameError { .notJSON(part: part) }

  // MARK: Values

  /// Reads a value and the white space around it.
  private mutating func readValue() throws(FrameError) -> JSONValue {
    skipSpaces()
    let value = try readBareValue()
    skipSpaces()
    return value
  }

  private mutating func readBareValue() throws(FrameError) -> JSONValue {
    switch next {
    case UInt8(ascii: "{"):
      try descend()
      defer { depth -= 1 }
      return .object(try readObject())
    case UInt8(ascii: "["):
      try descend()
      defer { depth -= 1 }
      return .array(try readArray())
    case UInt8(ascii: "\""): return .string(try readText())
    case UInt8(ascii: "t"): return try read("true", as: .bool(true))
    case UInt8(ascii: "f"): return try read("false", as: .bool(false))
    case UInt8(ascii: "n"): return try read("null", as: .null)
    default: return try readNumber()
    }
  }

  /// Skips an opening bracket; throws if it is nested too deeply.
  private mutating func descend() throws(FrameError) {
    guard depth < Self.deepest else { throw .tooDeep(part: part) }
    depth += 1
    position += 1
    skipSpaces()
  }

  private mutating func readArray() throws(FrameError) -> [JSONValue] {
    var elements: [JSONValue] = []
    guard !consume("]") else { return elements }
    while true {
      elements.append(try readValue())
      if consume("]") { return elements }
      guard consume(",") else { throw invalid }
    }
  }

  /// Reads an object; of members with the same name, the last is used.
  private mutating func readObject() throws(FrameError) -> [String: JSONValue] {
    var members: [String: JSONValue] = [:]
    guard !consume("}") else { return members }
    while true {
      skipSpaces()
      let name = try readText()
      skipSpaces()
      guard consume(":") else { throw invalid }
      members[name] = try readValue()
      if consume("}") { return members }
      guard consume(",") else { throw invalid }
    }
  }

  private mutating func read(
    _ word: StaticString, as value: JSONValue
  ) throws(FrameError) -> JSONValue {
    let end = position + word.utf8CodeUnitCount
    let matches = word.withUTF8Buffer { $0.elementsEqual(bytes[position..<min(end, bytes.count)]) }
    guard matches else { throw invalid }
    position = end
    return value
  }

  private mutating func readNumber() throws(FrameError) -> JSONValue {
    let begin = position
    _ = consume("-")
    let isZero = consume("0")
    guard isZero || skipDigits() else { throw invalid }
    var isWhole = true
    if consume(".") {
      isWhole = false
      guard skipDigits() else { throw invalid }
    }
    if consume("e") || consume("E") {
      isWhole = false
      if !consume("+") { _ = consume("-") }
      guard skipDigits() else { throw invalid }
    }
    let text = String(decoding: bytes[begin..<position], as: UTF8.self)
    if isWhole, let number = Int(text) { return .integer(number) }
    guard let number = Double(text), number.isFinite else { throw invalid }
    return .number(number)
  }

  // MARK: Texts

  private mutating func readText() throws(FrameError) -> String {
    guard consume("\"") else { throw invalid }
    var begin = position
    // Used only if the text contains escapes.
    var text: [UInt8] = []
    while let byte = next {
      switch byte {
      case UInt8(ascii: "\""):
        let rest = bytes[begin..<position]
        position += 1
        return try self.text(text.isEmpty ? Array(rest) : text + rest)
      case UInt8(ascii: "\\"):
        text += bytes[begin..<position]
        position += 1
        let scalar = try readEscape()
        text += Array(String(scalar).utf8)
        begin = position
      case ..<0x20: throw invalid
      default: position += 1
      }
    }
    throw invalid
  }

  private func text(_ bytes: [UInt8]) throws(FrameError) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { throw invalid }
    return text
  }

  /// Reads the character after a backslash.
  private mutating func readEscape() throws(FrameError) -> Unicode.Scalar {
    guard let byte = next else { throw invalid }
    position += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
    case UInt8(ascii: "b"): return "\u{8}"
    case UInt8(ascii: "f"): return "\u{C}"
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "r"): return "\r"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "u"): return try readScalar()
    default: throw invalid
    }
  }

  /// Reads four hexadecimal digits; if they are half of a surrogate pair, also reads the other
  /// half.
  private mutating func readScalar() throws(FrameError) -> Unicode.Scalar {
    let unit = try readCodeUnit()
    if let scalar = Unicode.Scalar(unit) { return scalar }
    guard UTF16.isLeadSurrogate(unit), consume("\\"), consume("u") else { throw invalid }
    let trail = try readCodeUnit()
    guard UTF16.isTrailSurrogate(trail) else { throw invalid }
    let bits = (UInt32(unit) - 0xD800) << 10 | (UInt32(trail) - 0xDC00)
    guard let scalar = Unicode.Scalar(0x10000 + bits) else { throw invalid }
    return scalar
  }

  private mutating func readCodeUnit() throws(FrameError) -> UInt16 {
    let end = position + 4
    guard end <= bytes.count else { throw invalid }
    let digits = String(decoding: bytes[position..<end], as: UTF8.self)
    // A sign is excluded, because the integer initializer accepts one.
    guard digits.utf8.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
      let unit = UInt16(digits, radix: 16)
    else { throw invalid }
    position = end
    return unit
  }

  // MARK: Bytes

  private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips the given byte; returns false if the next byte differs.
  private mutating func consume(_ byte: Unicode.Scalar) -> Bool {
    guard next == UInt8(ascii: byte) else { return false }
    position += 1
    return true
  }

  private mutating func skipDigits() -> Bool {
    let begin = position
    while let byte = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) { position += 1 }
    return position > begin
  }

  private mutating func skipSpaces() {
    while let byte = next, [0x20, 0x9, 0xA, 0xD].contains(byte) { position += 1 }
  }
}
