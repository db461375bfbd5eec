import AudioThreads
import FilePaths
import Glibc
import ONNXRuntime
import SpeechEngine

/// Rewrites a model that ONNX Runtime saved as ONNX, so that it can be loaded and optimized.
///
/// - Names: the library saves the branches of a condition without names, but refuses to load
///   unnamed branches.
/// - Scales: attention divides by the square root of the head size, which the exported graphs
///   compute from the shape of a tensor in each run. With a constant head size, one operator
///   multiplies, scales, and transposes. Otherwise, the keys of all audio are transposed and scaled
///   again for each token.
/// - Products: the exported graphs turn 8-bit weights into floats before they multiply by them. The
///   new operators multiply the bytes themselves, and read a quarter of the memory.
/// - Rows: unless an operator also scales its product, the library adds the products of a single
///   row in another order than those of several rows. The products of attention therefore get a
///   scale of almost 1. If inputs are also rounded in blocks, a token's results are then the same,
///   bit by bit, whichever other tokens are in its pass.
/// - Shapes: the library infers the shapes of values from those of the inputs, and its memory
///   planner compares each value of known shape with all earlier values. Without the shape of the
///   token input, the decoder loads in three quarters of the time.
struct ONNXGraphRewriting {
  /// Copies the model with the changes; unchanged weights are copied from file to file.
  ///
  /// - Parameters:
  ///   - model: the path of the model.
  ///   - path: the path of the copy.
  ///   - headSize: the size of an attention head; nil to leave scales as they are.
  ///   - quantizesInputs: whether products use the 8-bit weights directly and round their inputs to
  ///     8 bits.
  ///   - blockSize: the number of rounded inputs that share a scale; nil if all inputs share one.
  ///   - unshapedInput: the input whose shape is removed; nil to keep all shapes.
  /// - Throws: `.fileDamaged` if the model is not a protobuf message; system errors.
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

  /// A part of the copy: a range of the model, or new bytes.
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

  /// The kinds of messages that contain graphs, directly or not.
  private enum Message {
    case model, graph, node, attribute

    /// Returns the kind of message in a field, by the field's number in `onnx.proto`; nil for any
    /// other field.
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
  /// The weights, by the names of the float tensors that they become.
  private var weights: [String: QuantizedWeight] = [:]
  /// The tensors to add to the graph for the operators that multiply by 8-bit weights, by name.
  private var newTensors: [String: [UInt8]] = [:]

  private init(
    bytes: UnsafeRawBufferPointer, headSize: Int?, blockSize: Int?, unshapedInput: String?
  ) {
    (self.bytes, self.headSize) = (bytes, headSize)
    (self.blockSize, self.unshapedInput) = (blockSize, unshapedInput)
  }

  /// Returns the pieces of the rewritten message; a single `.kept` piece if nothing changes.
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
        // The new tensors go into the main graph, so that its rewritten branches can use them.
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
    // A name added at the end replaces an earlier empty name: if a field occurs twice, the last
    // occurrence counts.
    if message == .graph, !isNamed {
      pieces.append(.new(textField(2, "branch")))
    }
    return pieces
  }

  /// Finds the weights of the main graph.
  ///
  /// The exported chain is `Cast`, `Mul` by a scale, and `Add` of an offset, which is a multiple of
  /// the scale.
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

  /// The new tensors, always in the same order.
  private var newPieces: [Piece] {
    newTensors.sorted { $0.key < $1.key }.map { .new($0.value) }
  }

  /// Returns the new contents of nodes and inputs of a graph, each by the offset of the field that
  /// it replaces.
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

  /// Returns the node that replaces `product` and multiplies by the 8-bit weight; nil if the second
  /// factor of `product` is not such a weight.
  private mutating func byteProduct(
    _ product: ONNXNode, _ output: String, _ producers: [String: ONNXNode]
  ) -> [UInt8]? {
    guard product.inputs.count == 2 else { return nil }
    // The bytes of a transposed weight are transposed only once, here, instead of in each run.
    let transpose = producers[product.inputs[1]].flatMap { $0.type == "Transpose" ? $0 : nil }
    guard let name = transpose?.inputs.first ?? product.inputs.last, var weight = weights[name]
    else { return nil }
    weight.isTransposed = transpose != nil
    if newTensors[weight.bytesName] == nil {
      newTensors.merge(weight.tensors(in: bytes)) { old, _ in old }
    }
    return weight.product(with: product.inputs[0], output: output)
  }

  /// If `root` is the square root of the head size, returns the name of the head size and the
  /// offset of the node that computes it; otherwise nil.
  ///
  /// The exported chain is `Shape`, `Slice`, `Cast`, `Sqrt`; no other node takes the root of a
  /// shape.
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

  /// Returns the nodes of a graph, by the names of their first outputs.
  private func producers(inGraph range: Range<Int>) throws(ModelDamage) -> [String: ONNXNode] {
    var producers: [String: ONNXNode] = [:]
    for field in try fields(1, in: range) {
      let node = try ONNXNode(field, in: bytes)
      if let output = node.output { producers[output] = node }
    }
    return producers
  }

  /// Returns the name of an input (a `ValueInfoProto` of a tensor) and the number of its element
  /// type in `TensorProto.DataType`.
  private func input(_ field: MessageField) throws(ModelDamage) -> (name: String, type: Int) {
    var (name, type) = ("", 0)
    for field in try MessageReader(bytes: bytes, range: field.content).rest() {
      if field.number == 1 { name = String(decoding: bytes[field.content], as: UTF8.self) }
      // Field 2 is the `TypeProto`, and its field 1 is the `TypeProto.Tensor`.
      guard field.number == 2 else { continue }
      for tensor in try fields(1, in: field.content) {
        let element = try MessageReader(bytes: bytes, range: tensor.content).rest()
          .first { $0.number == 1 }
        type = element?.value ?? 0
      }
    }
    return (name, type)
  }

  /// Returns the fields with this number that contain messages or text.
  private func fields(_ number: Int, in range: Range<Int>) throws(ModelDamage)
    -> [MessageField]
  {
    try MessageReader(bytes: bytes, range: range).rest().filter {
      $0.number == number && $0.isBytes
    }
  }
}
