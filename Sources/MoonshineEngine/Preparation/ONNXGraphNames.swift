import AudioThreads
import FilePaths
import Glibc
import ONNXRuntime

/// Gives names to the graphs of a model that have none.
///
/// ONNX Runtime saves a model in ORT format as ONNX without the names of the graphs that a
/// condition chooses from, and then refuses to load it: a graph has to have one.
enum ONNXGraphNames {
  /// Copies the model with all names; its weights go from file to file.
  ///
  /// - Throws: `.fileDamaged` where the model is no protobuf message; what the system says.
  static func complete(_ model: FilePath, to path: FilePath) throws(ONNXError) {
    let file = try MappedFile(model)
    let pieces: [Piece]
    do throws(Malformed) {
      pieces = try Message.model.completed(in: file.bytes, 0..<file.bytes.count)
    } catch {
      throw .fileDamaged(path: model, reason: "it is no ONNX model")
    }
    let output = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard output >= 0 else { throw ONNXError(code: errno, path: path) }
    defer { close(output) }
    for piece in pieces {
      let code = piece.write(from: file.bytes, to: output)
      guard code == 0 else { throw ONNXError(code: code, path: path) }
    }
  }

  /// What is no protobuf message.
  private struct Malformed: Error {}

  /// A part of the copy: one of the model, or something new.
  private enum Piece {
    case kept(Range<Int>)
    case new([UInt8])

    var count: Int {
      switch self {
      case .kept(let range): range.count
      case .new(let bytes): bytes.count
      }
    }

    func write(from model: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
      switch self {
      case .kept(let range): writeAll(UnsafeRawBufferPointer(rebasing: model[range]), to: file)
      case .new(let bytes): bytes.withUnsafeBytes { writeAll($0, to: file) }
      }
    }
  }

  /// The messages of a model that lead to its graphs.
  private enum Message {
    case model, graph, node, attribute

    /// The fields that are such messages, by their numbers in `onnx.proto`.
    private func message(in field: Int) -> Message? {
      switch (self, field) {
      case (.model, 7): .graph
      case (.graph, 1): .node
      case (.node, 5): .attribute
      case (.attribute, 6), (.attribute, 11): .graph
      default: nil
      }
    }

    /// The message with the names that it lacks; one piece where it lacks none.
    func completed(
      in bytes: UnsafeRawBufferPointer, _ range: Range<Int>
    ) throws(Malformed) -> [Piece] {
      var reader = Reader(bytes: bytes, range: range)
      var pieces: [Piece] = []
      var (start, isNamed) = (range.lowerBound, false)
      while let field = try reader.next() {
        if self == .graph, field.number == 2, !field.content.isEmpty { isNamed = true }
        guard let message = message(in: field.number), field.isBytes else { continue }
        let content = try message.completed(in: bytes, field.content)
        if content.count == 1 { continue }
        pieces.append(.kept(start..<field.start))
        pieces.append(.new(varint(field.tag) + varint(content.reduce(0) { $0 + $1.count })))
        pieces += content
        start = field.content.upperBound
      }
      pieces.append(.kept(start..<range.upperBound))
      // Of two fields with the same number the last one counts.
      if self == .graph, !isNamed { pieces.append(.new([2 << 3 | 2, 6] + Array("branch".utf8))) }
      return pieces
    }
  }

  /// A field of a message.
  private struct Field {
    let tag: Int
    let start: Int
    let content: Range<Int>

    var number: Int { tag >> 3 }
    var isBytes: Bool { tag & 7 == 2 }
  }

  /// Reads the fields of a message, one after the other.
  private struct Reader {
    let bytes: UnsafeRawBufferPointer
    var range: Range<Int>

    mutating func next() throws(Malformed) -> Field? {
      guard !range.isEmpty else { return nil }
      let start = range.lowerBound
      let tag = try number()
      let count =
        switch tag & 7 {
        case 0: try skippedNumber()
        case 1: 8
        case 2: try number()
        case 5: 4
        default: throw Malformed()
        }
      guard count <= range.count else { throw Malformed() }
      let content = range.prefix(count)
      range = content.upperBound..<range.upperBound
      return Field(tag: tag, start: start, content: content)
    }

    /// A number is read as a field without content behind it.
    private mutating func skippedNumber() throws(Malformed) -> Int {
      _ = try number()
      return 0
    }

    /// A variable-length number of at most nine bytes, which all lengths and tags are.
    private mutating func number() throws(Malformed) -> Int {
      var value = 0
      for shift in stride(from: 0, to: 70, by: 7) {
        guard let index = range.popFirst() else { throw Malformed() }
        let byte = bytes[index]
        if shift < 63 { value |= Int(byte & 0x7F) << shift }
        if byte < 0x80 { return value }
      }
      throw Malformed()
    }
  }

  /// A number in seven bits a byte.
  private static func varint(_ number: Int) -> [UInt8] {
    number < 0x80
      ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + varint(number >> 7)
  }
}
