import Glibc
import NIOHTTP1

/// Parses a form (`multipart/form-data`, RFC 7578), whose bytes arrive in pieces of any size.
///
/// Read all parts before adding more bytes, so that the reader holds at most one header or one
/// piece. The data of a part is passed on as it arrives.
struct MultipartReader: Sendable {
  /// The part of the form that the reader expects next.
  enum Part: Hashable, Sendable {
    /// A field begins; the file name is nil for a text.
    case field(name: String, fileName: String?)
    /// The next bytes of the field, at least one.
    case data([UInt8])
    /// The field is complete.
    case end
  }

  private enum Stage {
    case preamble, delimiter, header, data, epilogue
    case broken(HTTPFault)
  }

  /// The maximum size in bytes of a field's header.
  static let headerLimit = 8 << 10
  /// The maximum number of fields.
  static let fieldLimit = 256

  /// The line feed before a field, two hyphens, and the boundary.
  private let delimiter: [UInt8]
  private var stage = Stage.preamble
  /// The unread bytes; the first field needs no line feed before it, so there is one here.
  private var bytes = Array("\r\n".utf8)
  /// The index of the first byte that has not been parsed.
  private var begin = 0
  private var fieldCount = 0

  /// Creates a reader for a body.
  ///
  /// - Parameter contentType: the field `Content-Type` of the request's header.
  /// - Throws: a fault with status 415 if the body is not a form, or with 400 if the boundary is
  ///   missing or invalid.
  init(contentType: String?) throws(HTTPFault) {
    guard let type = contentType.flatMap(HeaderValue.init),
      type.value.lowercased() == "multipart/form-data"
    else {
      throw HTTPFault(
        .unsupportedMediaType, code: "unsupported_content_type",
        "the content type is \(quoted(contentType ?? "")); send a form as multipart/form-data")
    }
    guard let boundary = type["boundary"], (1...70).contains(boundary.utf8.count),
      boundary.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), boundary.last != " "
    else {
      throw Self.fault("its content type has no boundary of 1 to 70 printable characters")
    }
    delimiter = Array("\r\n--\(boundary)".utf8)
  }

  mutating func add(_ more: some Sequence<UInt8>) {
    if case .broken = stage { return }
    bytes.removeFirst(begin)
    begin = 0
    bytes.append(contentsOf: more)
  }

  /// Returns the next part; nil until more bytes arrive.
  ///
  /// After a fault, it throws the same fault again.
  mutating func next() throws(HTTPFault) -> Part? {
    do throws(HTTPFault) {
      return try parse()
    } catch {
      stage = .broken(error)
      bytes = []
      begin = 0
      throw error
    }
  }

  /// Checks that the form is complete; call it after the last bytes.
  func finish() throws(HTTPFault) {
    if case .broken(let fault) = stage { throw fault }
    guard case .epilogue = stage else { throw Self.fault("it ends before its last boundary") }
  }

  private mutating func parse() throws(HTTPFault) -> Part? {
    while true {
      switch stage {
      case .preamble:
        guard skipDelimiter() else {
          keepPossibleDelimiter()
          return nil
        }
        stage = .delimiter
      case .delimiter:
        guard try readDelimiterEnd() else { return nil }
      case .header:
        guard let header = try readHeader() else { return nil }
        stage = .data
        return header
      case .data:
        if let data = readData() { return .data(data) }
        guard skipDelimiter() else { return nil }
        stage = .delimiter
        return .end
      case .epilogue:
        begin = bytes.count
        return nil
      case .broken(let fault): throw fault
      }
    }
  }

  // MARK: Data

  private mutating func readData() -> [UInt8]? {
    let start = begin
    if let end = index(of: delimiter) { begin = end } else { keepPossibleDelimiter() }
    return start < begin ? Array(bytes[start..<begin]) : nil
  }

  /// Skips all bytes but those that may be the beginning of a delimiter.
  private mutating func keepPossibleDelimiter() {
    begin = max(begin, bytes.count - delimiter.count + 1)
  }

  private mutating func skipDelimiter() -> Bool {
    guard let start = index(of: delimiter) else { return false }
    begin = start + delimiter.count
    return true
  }

  /// Returns the index of a pattern that begins with CR.
  private func index(of pattern: [UInt8]) -> Int? {
    bytes.withUnsafeBytes { all in
      var start = begin
      while let base = all.baseAddress, all.count - start >= pattern.count {
        let count = all.count - pattern.count + 1 - start
        guard let found = memchr(base + start, 0x0D, count) else { return nil }
        if memcmp(found, pattern, pattern.count) == 0 { return UnsafeRawPointer(found) - base }
        start = UnsafeRawPointer(found) - base + 1
      }
      return nil
    }
  }

  // MARK: Delimiters and headers

  /// Reads the end of a delimiter's line, or the two hyphens after the last delimiter.
  private mutating func readDelimiterEnd() throws(HTTPFault) -> Bool {
    guard bytes.count - begin >= 2 else { return false }
    if bytes[begin..<begin + 2].elementsEqual("--".utf8) {
      stage = .epilogue
      return true
    }
    let rest = bytes[begin...].drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
    guard rest.startIndex - begin < Self.headerLimit,
      rest.prefix(2).elementsEqual("\r\n".utf8.prefix(rest.count))
    else { throw Self.fault("a boundary is not followed by a line end of CR and LF") }
    guard rest.count >= 2 else { return false }
    // The line feed stays, so that an empty header is found like any other.
    begin = rest.startIndex
    fieldCount += 1
    guard fieldCount <= Self.fieldLimit else {
      throw Self.fault("it has more than \(Self.fieldLimit) fields")
    }
    stage = .header
    return true
  }

  private mutating func readHeader() throws(HTTPFault) -> Part? {
    let end = index(of: Array("\r\n\r\n".utf8))
    guard (end ?? bytes.count - 3) - begin <= Self.headerLimit else {
      throw Self.fault("the header of a field is longer than \(Self.headerLimit) bytes")
    }
    guard let end else { return nil }
    let header = bytes[begin..<end].dropFirst(2)
    begin = end + 4
    return try field(of: String(decoding: header, as: UTF8.self))
  }

  private func field(of header: String) throws(HTTPFault) -> Part {
    var disposition: HeaderValue?
    for line in header.split(separator: "\r\n") {
      guard !line.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }),
        let colon = line.firstIndex(of: ":")
      else { throw Self.fault("\(quoted(line)) is not a line of a field's header") }
      let text = String(line[line.index(after: colon)...])
      switch line[..<colon].lowercased() {
      case "content-disposition":
        guard disposition == nil else { throw Self.fault("a field has two dispositions") }
        disposition = HeaderValue(text)
      case "content-transfer-encoding":
        guard ["binary", "8bit", "7bit"].contains(HeaderValue(text)?.value.lowercased()) else {
          throw Self.fault("a field is encoded as \(quoted(text)); send its bytes as they are")
        }
      default: break
      }
    }
    guard let disposition, disposition.value.lowercased() == "form-data",
      let name = disposition["name"]
    else {
      throw Self.fault(
        "a field lacks its name, as in Content-Disposition: form-data; name=\"file\"")
    }
    return .field(name: name, fileName: disposition.extended("filename") ?? disposition["filename"])
  }

  private static func fault(_ reason: String) -> HTTPFault {
    HTTPFault(.badRequest, code: "invalid_form", "the form cannot be read: \(reason)")
  }
}

/// A value of a header with its parameters, such as `form-data; name="file"`.
private struct HeaderValue {
  private typealias Scalars = Substring.UnicodeScalarView

  let value: String
  private var parameters: [String: String] = [:]

  /// Parses a value; nil if it is malformed, or has a parameter twice.
  init?(_ text: String) {
    var rest = text[...].unicodeScalars
    value = Self.read(&rest) { $0 == ";" }
    while rest.popFirst() != nil {
      let name = Self.read(&rest) { $0 == "=" || $0 == ";" }.lowercased()
      // A semicolon may end the value.
      if name.isEmpty, rest.isEmpty { break }
      guard rest.popFirst() == "=", !name.isEmpty, parameters[name] == nil else { return nil }
      let text = Self.read(&rest) { $0 == ";" || $0 == "\"" }
      guard rest.first == "\"" else {
        parameters[name] = text
        continue
      }
      guard text.isEmpty, let quoted = Self.readQuoted(&rest),
        Self.read(&rest, until: { $0 == ";" }).isEmpty
      else { return nil }
      parameters[name] = quoted
    }
  }

  subscript(name: String) -> String? { parameters[name] }

  /// Returns a parameter that is encoded as in `filename*=UTF-8''caf%C3%A9.wav`.
  func extended(_ name: String) -> String? {
    let parts = self[name + "*"]?.split(separator: "'", omittingEmptySubsequences: false)
    guard let parts, parts.count == 3, parts[0].lowercased() == "utf-8" else { return nil }
    var bytes: [UInt8] = []
    var rest = parts[2].utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) else {
        return nil
      }
      bytes.append(value)
      rest = rest.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Reads a text without the spaces around it.
  private static func read(
    _ rest: inout Scalars, until isEnd: (Unicode.Scalar) -> Bool
  ) -> String {
    let text = rest.prefix { !isEnd($0) }
    rest = rest[text.endIndex...]
    let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
    let end = text.lastIndex { !isSpace($0) }.map(text.index(after:)) ?? text.startIndex
    return String(text[..<end].drop(while: isSpace))
  }

  /// Reads a text in quotation marks; a backslash precedes a mark or a backslash in it.
  private static func readQuoted(_ rest: inout Scalars) -> String? {
    rest.removeFirst()
    var text = String.UnicodeScalarView()
    while let scalar = rest.popFirst() {
      if scalar == "\"" { return String(text) }
      let isEscape = scalar == "\\" && (rest.first == "\"" || rest.first == "\\")
      text.append(isEscape ? rest.removeFirst() : scalar)
    }
    return nil
  }
}
