/// A constant of a graph: a `TensorProto`.
struct ONNXTensor {
  var name = ""
  var isInt8 = false
  var dimensions: [Int] = []
  var content = 0..<0

  init(_ field: MessageField, in bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = MessageReader(bytes: bytes, range: field.content)
    while let field = try reader.next() {
      switch field.number {
      case 1: dimensions.append(field.value)
      case 2: isInt8 = field.value == 3
      case 8: name = String(decoding: bytes[field.content], as: UTF8.self)
      // `float_data` and `raw_data`.
      case 4, 9: content = field.content
      default: break
      }
    }
  }

  /// Its value, if it is a single float.
  func float(in bytes: UnsafeRawBufferPointer) -> Float? {
    guard content.count == 4 else { return nil }
    let bits = bytes.loadUnaligned(fromByteOffset: content.lowerBound, as: UInt32.self)
    return Float(bitPattern: UInt32(littleEndian: bits))
  }
}

/// An operator of a graph: its type, its inputs, and its first output.
struct ONNXNode {
  let start: Int
  var type = ""
  var inputs: [String] = []
  var output: String?

  init(_ field: MessageField, in bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    start = field.start
    var reader = MessageReader(bytes: bytes, range: field.content)
    while let field = try reader.next() {
      guard field.isBytes else { continue }
      let text = String(decoding: bytes[field.content], as: UTF8.self)
      switch field.number {
      case 1: inputs.append(text)
      case 2: output = output ?? text
      case 4: type = text
      default: break
      }
    }
  }
}

/// An input of a graph: a `ValueInfoProto` of a tensor.
struct ONNXInput {
  var name = ""
  /// The element type, as in `TensorProto.DataType`.
  var type = 0

  init(_ field: MessageField, in bytes: UnsafeRawBufferPointer) throws(MalformedMessage) {
    var reader = MessageReader(bytes: bytes, range: field.content)
    while let field = try reader.next() {
      if field.number == 1 { name = String(decoding: bytes[field.content], as: UTF8.self) }
      // `TypeProto`, then `TypeProto.Tensor`.
      guard field.number == 2 else { continue }
      var types = MessageReader(bytes: bytes, range: field.content)
      while let tensor = try types.next() {
        guard tensor.number == 1 else { continue }
        let element = try MessageReader(bytes: bytes, range: tensor.content).rest()
          .first { $0.number == 1 }
        type = element?.value ?? 0
      }
    }
  }
}
