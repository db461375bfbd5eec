import AudioThreads
import FilePaths
import Glibc
import ONNXRuntime

/// Rewrites a model that ONNX Runtime saved as ONNX, so that it can be loaded and optimized.
///
/// - Names: the library saves the graphs that a condition chooses from without names, and then refuses
///   to load them.
/// - Scales: attention divides by the square root of the size of a head, which the exported graphs take
///   from the shape of a tensor in each run. As a constant, the library multiplies matrices, scales, and
///   transposes in one operator. Otherwise it transposes and scales the keys of all audio for each token.
enum ONNXGraphRewriting {
  /// Copies the model; its weights go from file to file.
  ///
  /// - Parameter headSize: the size of an attention head; nil to leave scales as they are.
  /// - Throws: `.fileDamaged` if the model is no protobuf message; errors of the system.
  static func rewrite(
    _ model: FilePath, to path: FilePath, headSize: Int? = nil
  ) throws(ONNXError) {
    let file = try MappedFile(model)
    let pieces: [Piece]
    do throws(Malformed) {
      let rewriting = Rewriting(bytes: file.bytes, headSize: headSize)
      pieces = try rewriting.rewritten(.model, 0..<file.bytes.count)
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
    func message(in field: Int) -> Message? {
      switch (self, field) {
      case (.model, 7): .graph
      case (.graph, 1): .node
      case (.node, 5): .attribute
      case (.attribute, 6), (.attribute, 11): .graph
      default: nil
      }
    }
  }

  private struct Rewriting {
    let bytes: UnsafeRawBufferPointer
    let headSize: Int?

    /// A message with everything that is new in it; one piece if nothing is.
    func rewritten(_ message: Message, _ range: Range<Int>) throws(Malformed) -> [Piece] {
      let sizes = message == .graph ? try headSizes(inGraph: range) : [:]
      var reader = Reader(bytes: bytes, range: range)
      var pieces: [Piece] = []
      var (start, isNamed) = (range.lowerBound, false)
      while let field = try reader.next() {
        if message == .graph, field.number == 2, !field.content.isEmpty { isNamed = true }
        guard let inner = message.message(in: field.number), field.isBytes else { continue }
        let content: [Piece]
        if let constant = sizes[field.start] {
          content = [.new(constant)]
        } else {
          content = try rewritten(inner, field.content)
          if content.count == 1, case .kept = content[0] { continue }
        }
        pieces.append(.kept(start..<field.start))
        pieces.append(.new(varint(field.tag) + varint(content.reduce(0) { $0 + $1.count })))
        pieces += content
        start = field.content.upperBound
      }
      pieces.append(.kept(start..<range.upperBound))
      // Of two fields with the same number the last one counts.
      if message == .graph, !isNamed {
        pieces.append(.new([2 << 3 | 2, 6] + Array("branch".utf8)))
      }
      return pieces
    }

    /// Constants for the nodes of a graph that compute the size of a head, by where each node starts.
    ///
    /// The exported chain is `Shape`, `Slice`, `Cast`, `Sqrt`; nothing else takes a root of a shape.
    private func headSizes(inGraph range: Range<Int>) throws(Malformed) -> [Int: [UInt8]] {
      guard let headSize else { return [:] }
      var makers: [[UInt8]: Node] = [:]
      var roots: [Node] = []
      var reader = Reader(bytes: bytes, range: range)
      while let field = try reader.next() {
        guard field.number == 1, field.isBytes else { continue }
        let node = try Node(field, in: bytes)
        if node.type == "Sqrt" { roots.append(node) }
        if let output = node.output { makers[output] = node }
      }
      var constants: [Int: [UInt8]] = [:]
      for root in roots {
        guard let cast = root.input.flatMap({ makers[$0] }), cast.type == "Cast",
          let slice = cast.input.flatMap({ makers[$0] }), slice.type == "Slice",
          let shape = slice.input.flatMap({ makers[$0] }), shape.type == "Shape",
          let output = cast.output
        else { continue }
        constants[cast.start] = constantNode(output, Float(headSize))
      }
      return constants
    }

    /// `NodeProto` of a `Constant` whose attribute `value_float` has this value.
    private func constantNode(_ output: [UInt8], _ value: Float) -> [UInt8] {
      var attribute = bytesField(1, Array("value_float".utf8))
      attribute.append(2 << 3 | 5)
      attribute += withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init)
      // Its type, a float.
      attribute += varint(20 << 3) + [1]
      return bytesField(2, output) + bytesField(4, Array("Constant".utf8))
        + bytesField(5, attribute)
    }

    private func bytesField(_ number: Int, _ content: [UInt8]) -> [UInt8] {
      varint(number << 3 | 2) + varint(content.count) + content
    }
  }

  /// An operator of a graph: its type, its first input, and its first output.
  private struct Node {
    let start: Int
    var type = ""
    var input: [UInt8]?
    var output: [UInt8]?

    init(_ field: Field, in bytes: UnsafeRawBufferPointer) throws(Malformed) {
      start = field.start
      var reader = Reader(bytes: bytes, range: field.content)
      while let field = try reader.next() {
        guard field.isBytes else { continue }
        switch field.number {
        case 1: input = input ?? Array(bytes[field.content])
        case 2: output = output ?? Array(bytes[field.content])
        case 4: type = String(decoding: bytes[field.content], as: UTF8.self)
        default: break
        }
      }
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
