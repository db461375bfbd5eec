import AudioThreads
import FilePaths
import Glibc
import ONNXRuntime
import SpeechEngine

/// Rewrites a model that ONNX Runtime saved as ONNX, so that it can be loaded and optimized.
///
/// - Names: the library saves the graphs that a condition chooses from without names, and then refuses
///   to load them.
/// - Scales: attention divides by the square root of the size of a head, which the exported graphs take
///   from the shape of a tensor in each run. If the size is a constant, one operator multiplies,
///   scales, and transposes. Otherwise, each token transposes and scales the keys of all audio.
/// - Products: the exported graphs turn 8-bit weights into floats before they multiply by them. Other
///   operators multiply the bytes themselves: they read a quarter of the memory.
/// - Rows: the library multiplies a single row by a matrix with other instructions than several rows,
///   which add in another order, unless it also scales the product. In attention it scales by almost 1.
///   Then, with blocks, the numbers of a token are the same, bit by bit, whatever else is in its pass.
/// - Shapes: the library infers the shapes of values from those of the inputs. Its memory planner
///   compares each value of a known shape with all earlier ones. Without the shape of the tokens, the
///   decoder loads in three quarters of the time.
struct ONNXGraphRewriting {
  /// Copies the model; its weights go from file to file.
  ///
  /// - Parameters:
  ///   - headSize: the size of an attention head; nil to leave scales as they are.
  ///   - quantizesInputs: whether 8-bit weights are multiplied as they are, by inputs that each product
  ///     rounds to 8 bits.
  ///   - blockSize: the number of these inputs that share a scale; nil if all do.
  ///   - unshapedInput: the input whose shape is removed; nil to keep all.
  /// - Throws: `.fileDamaged` if the model is not a protobuf message; errors of the system.
  static func rewrite(
    _ model: FilePath, to path: FilePath, headSize: Int? = nil, quantizesInputs: Bool = false,
    blockSize: Int? = nil, unshapedInput: String? = nil
  ) throws(ONNXError) {
    let file = try MappedFile(component: model)
    let pieces: [Piece]
    do throws(ModelDamage) {
      var rewriting = ONNXGraphRewriting(
        bytes: file.bytes, headSize: headSize, blockSize: blockSize, unshapedInput: unshapedInput)
      if quantizesInputs { try rewriting.findWeights() }
      pieces = try rewriting.rewritten(.model, 0..<file.bytes.count)
    } catch {
      throw .fileDamaged(path: model, reason: error.reason)
    }
    let output = path.withCString { open($0, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard output >= 0 else { throw ONNXError(code: errno, path: path) }
    defer { close(output) }
    for piece in pieces {
      let code = piece.write(from: file.bytes, to: output)
      guard code == 0 else { throw ONNXError(code: code, path: path) }
    }
  }

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

  let bytes: UnsafeRawBufferPointer
  let headSize: Int?
  let blockSize: Int?
  let unshapedInput: String?
  /// By the names of the floats that they become.
  private var weights: [String: QuantizedWeight] = [:]
  /// The tensors that the new products need, by their names.
  private var newTensors: [String: [UInt8]] = [:]

  private init(
    bytes: UnsafeRawBufferPointer, headSize: Int?, blockSize: Int?, unshapedInput: String?
  ) {
    (self.bytes, self.headSize) = (bytes, headSize)
    (self.blockSize, self.unshapedInput) = (blockSize, unshapedInput)
  }

  /// A message with its new parts; one piece if it has none.
  private mutating func rewritten(
    _ message: Message, _ range: Range<Int>
  ) throws(ModelDamage) -> [Piece] {
    let newFields = message == .graph ? try newFields(inGraph: range) : [:]
    var reader = MessageReader(bytes: bytes, range: range)
    var pieces: [Piece] = []
    var (start, isNamed) = (range.lowerBound, false)
    while let field = try reader.next() {
      if message == .graph, field.number == 2, !field.content.isEmpty { isNamed = true }
      let content: [Piece]
      if let new = newFields[field.start] {
        content = [.new(new)]
      } else {
        guard let inner = message.message(in: field.number), field.isBytes else { continue }
        var pieces = try rewritten(inner, field.content)
        // The branches, which are rewritten now, find the tensors in the main graph.
        if message == .model { pieces += newPieces }
        content = pieces
        if content.count == 1, case .kept = content[0] { continue }
      }
      pieces.append(.kept(start..<field.start))
      pieces.append(.new(varint(field.tag) + varint(content.reduce(0) { $0 + $1.count })))
      pieces += content
      start = field.content.upperBound
    }
    pieces.append(.kept(start..<range.upperBound))
    // If a field occurs twice, the last one counts.
    if message == .graph, !isNamed {
      pieces.append(.new(textField(2, "branch")))
    }
    return pieces
  }

  /// Finds the weights of the main graph.
  ///
  /// The exported chain is `Cast`, `Mul` by a scale, and `Add` of an offset, a multiple of the scale.
  private mutating func findWeights() throws(ModelDamage) {
    guard let graph = try fields(7, in: 0..<bytes.count).first else { return }
    var tensors: [String: ONNXTensor] = [:]
    for field in try fields(5, in: graph.content) {
      let tensor = try ONNXTensor(field, in: bytes)
      tensors[tensor.name] = tensor
    }
    let producers = try producers(inGraph: graph.content)
    for (output, add) in producers where add.type == "Add" && add.inputs.count == 2 {
      guard let product = producers[add.inputs[0]], product.type == "Mul",
        product.inputs.count == 2,
        let cast = producers[product.inputs[0]], cast.type == "Cast",
        let tensor = cast.inputs.first.flatMap({ tensors[$0] }),
        let scale = tensors[product.inputs[1]]?.float(in: bytes),
        let offset = tensors[add.inputs[1]]?.float(in: bytes),
        let zeroPoint = Int8(exactly: (-offset / scale).rounded()),
        abs(offset + scale * Float(zeroPoint)) <= abs(scale) / 100
      else { continue }
      weights[output] = QuantizedWeight(
        output, tensor, scaleName: product.inputs[1], scale: scale, zeroPoint: zeroPoint,
        blockSize: blockSize)
    }
  }

  /// The new tensors, in the same order for each run.
  private var newPieces: [Piece] {
    newTensors.sorted { $0.key < $1.key }.map { .new($0.value) }
  }

  /// The new contents of a graph's nodes and inputs, by where each starts.
  private mutating func newFields(
    inGraph range: Range<Int>
  ) throws(ModelDamage) -> [Int: [UInt8]] {
    let producers = try producers(inGraph: range)
    var new: [Int: [UInt8]] = [:]
    for field in try fields(11, in: range) {
      let input = try input(field)
      guard input.name == unshapedInput else { continue }
      let type = bytesField(1, numberField(1, input.type))
      new[field.start] = textField(1, input.name) + bytesField(2, type)
    }
    for (output, node) in producers {
      if let headSize, let (name, start) = headSizeCast(under: node, producers) {
        new[start] = operatorNode(
          "Constant", [], name, attribute("value_float", Float(headSize)), domain: nil)
      }
      guard node.type == "MatMul" else { continue }
      if let product = byteProduct(node, output, producers) {
        new[node.start] = product
      } else if blockSize != nil,
        node.inputs.first.flatMap({ producers[$0] })?.type == "Softmax"
      {
        new[node.start] = operatorNode(
          "FusedMatMul", node.inputs, output, attribute("alpha", Float(1).nextDown))
      }
    }
    return new
  }

  /// The node that multiplies by the bytes of a weight; nil if the second factor is no weight.
  private mutating func byteProduct(
    _ product: ONNXNode, _ output: String, _ producers: [String: ONNXNode]
  ) -> [UInt8]? {
    guard product.inputs.count == 2 else { return nil }
    // The weights of the result are those of the input, transposed.
    let transpose = producers[product.inputs[1]].flatMap { $0.type == "Transpose" ? $0 : nil }
    guard let name = transpose?.inputs.first ?? product.inputs.last, var weight = weights[name]
    else { return nil }
    weight.isTransposed = transpose != nil
    if newTensors[weight.bytesName] == nil {
      newTensors.merge(weight.tensors(in: bytes)) { old, _ in old }
    }
    return weight.product(with: product.inputs[0], output: output)
  }

  /// The result that is the size of a head, and where its node starts, if a node takes the root of it.
  ///
  /// The exported chain is `Shape`, `Slice`, `Cast`, `Sqrt`; nothing else takes a root of a shape.
  private func headSizeCast(
    under root: ONNXNode, _ producers: [String: ONNXNode]
  ) -> (name: String, start: Int)? {
    guard root.type == "Sqrt",
      let name = root.inputs.first, let cast = producers[name], cast.type == "Cast",
      let slice = cast.inputs.first.flatMap({ producers[$0] }), slice.type == "Slice",
      let shape = slice.inputs.first.flatMap({ producers[$0] }), shape.type == "Shape"
    else { return nil }
    return (name, cast.start)
  }

  /// The nodes of a graph by their first outputs.
  private func producers(inGraph range: Range<Int>) throws(ModelDamage) -> [String: ONNXNode] {
    var producers: [String: ONNXNode] = [:]
    for field in try fields(1, in: range) {
      let node = try ONNXNode(field, in: bytes)
      if let output = node.output { producers[output] = node }
    }
    return producers
  }

  /// The name and the element type of an input, a `ValueInfoProto` of a tensor; the type is that of
  /// `TensorProto.DataType`.
  private func input(_ field: MessageField) throws(ModelDamage) -> (name: String, type: Int) {
    var (name, type) = ("", 0)
    for field in try MessageReader(bytes: bytes, range: field.content).rest() {
      if field.number == 1 { name = String(decoding: bytes[field.content], as: UTF8.self) }
      // `TypeProto`, then `TypeProto.Tensor`.
      guard field.number == 2 else { continue }
      for tensor in try fields(1, in: field.content) {
        let element = try MessageReader(bytes: bytes, range: tensor.content).rest()
          .first { $0.number == 1 }
        type = element?.value ?? 0
      }
    }
    return (name, type)
  }

  /// The messages and texts with a number.
  private func fields(_ number: Int, in range: Range<Int>) throws(ModelDamage)
    -> [MessageField]
  {
    try MessageReader(bytes: bytes, range: range).rest().filter {
      $0.number == number && $0.isBytes
    }
  }
}
