/// An 8-bit weight that a graph turns into floats: `(byte - zeroPoint) * scale`.
///
/// A matrix product with the weight rounds its input values to 8 bits: with one scale for a whole
/// pass (`DynamicQuantizeMatMul`), or with one scale for each block of a row (`MatMulNBits`).
/// Without blocks, a token's results depend on the other tokens of its pass.
struct QuantizedWeight {
  /// The name of the weight's float tensor.
  private let floatName: String
  private let tensor: ONNXTensor
  private let rows: Int
  private let columns: Int
  private let scaleName: String
  private let scale: Float
  private let zeroPoint: UInt8
  /// The number of consecutive input values that are rounded with one scale; nil if one scale
  /// serves a whole pass.
  private let blockSize: Int?
  /// Whether products multiply by the transposed weight.
  var isTransposed = false

  /// Returns nil unless the tensor is a matrix of 8-bit numbers.
  init?(
    _ name: String, _ tensor: ONNXTensor, scaleName: String, scale: Float, zeroPoint: Int8,
    blockSize: Int?
  ) {
    guard tensor.isInt8, tensor.dimensions.count == 2 else { return nil }
    (rows, columns) = (tensor.dimensions[0], tensor.dimensions[1])
    guard rows > 0, columns > 0,
      rows.multipliedReportingOverflow(by: columns) == (tensor.content.count, false)
    else { return nil }
    (floatName, self.tensor, self.blockSize) = (name, tensor, blockSize)
    (self.scaleName, self.scale) = (scaleName, scale)
    self.zeroPoint = UInt8(bitPattern: zeroPoint) ^ 0x80
  }

  private var inputCount: Int { isTransposed ? columns : rows }
  private var outputCount: Int { isTransposed ? rows : columns }

  /// The name of the tensor that contains the weight's bytes.
  var bytesName: String { name("bytes") }

  private func name(_ part: String) -> String {
    floatName + "_\(part)" + (isTransposed ? "_transposed" : "")
  }

  /// Returns the graph node that multiplies `input` by the weight.
  func product(with input: String, output: String) -> [UInt8] {
    guard let blockSize else {
      return operatorNode(
        "DynamicQuantizeMatMul", [input, bytesName, scaleName, name("zero_point")], output)
    }
    // With accuracy level 4, the operator rounds its inputs to 8 bits.
    let numbers = [
      "K": inputCount, "N": outputCount, "bits": 8, "block_size": blockSize, "accuracy_level": 4,
    ]
    return operatorNode(
      "MatMulNBits", [input, bytesName, name("scales"), name("zero_points")], output,
      numbers.sorted { $0.key < $1.key }.flatMap { attribute($0.key, $0.value) })
  }

  /// Returns the tensors that the node of `product(with:output:)` needs in the graph, by name.
  func tensors(in bytes: UnsafeRawBufferPointer) -> [String: [UInt8]] {
    guard let blockSize else {
      let matrix = matrix(isTransposed: isTransposed, in: bytes)
      return [
        bytesName: tensorField(bytesName, [inputCount, outputCount], matrix),
        name("zero_point"): tensorField(name("zero_point"), [], [zeroPoint]),
      ]
    }
    let blockCount = (inputCount + blockSize - 1) / blockSize
    let padding = [UInt8](repeating: zeroPoint, count: blockCount * blockSize - inputCount)
    let matrix = matrix(isTransposed: !isTransposed, in: bytes)
    let blocks = (0..<outputCount).flatMap { row in
      matrix[(row * inputCount)..<((row + 1) * inputCount)] + padding
    }
    let count = outputCount * blockCount
    let scales = [Float](repeating: scale, count: count).withUnsafeBytes(Array.init)
    let zeroPoints = [UInt8](repeating: zeroPoint, count: count)
    return [
      bytesName: tensorField(bytesName, [outputCount, blockCount, blockSize], blocks),
      name("scales"): tensorField(name("scales"), [count], scales, type: 1),
      name("zero_points"): tensorField(name("zero_points"), [count], zeroPoints),
    ]
  }

  /// Returns the bytes of the weight, transposed if `isTransposed` is true.
  ///
  /// The bytes are unsigned. For signed bytes, some processors add two products in 16 bits, and the
  /// sum can overflow.
  private func matrix(isTransposed: Bool, in bytes: UnsafeRawBufferPointer) -> [UInt8] {
    let content = bytes[tensor.content].map { $0 ^ 0x80 }
    guard isTransposed else { return content }
    return [UInt8](unsafeUninitializedCapacity: content.count) { new, count in
      for column in 0..<columns {
        for row in 0..<rows { new[column * rows + row] = content[row * columns + column] }
      }
      count = content.count
    }
  }
}
