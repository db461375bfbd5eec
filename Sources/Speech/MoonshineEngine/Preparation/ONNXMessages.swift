import SpeechEngine

/// A constant in a graph: a `TensorProto`.
struct ONNXTensor {
  var name = ""
  var isInt8 = false
  var dimensions: [Int] = []
  var content = 0..<0

  init(_ field: MessageField, in bytes: UnsafeRawBufferPointer) throws(ModelDamage) {
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

  /// Returns the value of the tensor; nil unless the tensor is a single float.
  func float(in bytes: UnsafeRawBufferPointer) -> Float? {
    guard content.count == 4 else { return nil }
    let bits = bytes.loadUnaligned(fromByteOffset: content.lowerBound, as: UInt32.self)
    return Float(bitPattern: UInt32(littleEndian: bits))
  }
}

/// An operator in a graph: its type, its inputs, and its first output.
struct ONNXNode {
  let start: Int
  var type = ""
  var inputs: [String] = []
  var output: String?

  init(_ field: MessageField, in bytes: UnsafeRawBufferPointer) throws(ModelDamage) {
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

extension ModelDamage {
  /// The error for bytes that are not a protobuf message.
  fileprivate static let noMessage = ModelDamage("it is not an ONNX model")
}

/// A field of a message.
struct MessageField {
  let tag: Int
  let start: Int
  /// The value of a numeric field.
  let value: Int
  let content: Range<Int>

  var number: Int { tag >> 3 }
  var isBytes: Bool { tag & 7 == 2 }
}

/// Reads the fields of a message, one after the other.
struct MessageReader {
  let bytes: UnsafeRawBufferPointer
  var range: Range<Int>

  mutating func next() throws(ModelDamage) -> MessageField? {
    guard !range.isEmpty else { return nil }
    let start = range.lowerBound
    let tag = try number()
    let value = tag & 7 == 0 ? try number() : 0
    let count =
      switch tag & 7 {
      case 0: 0
      case 1: 8
      case 2: try number()
      case 5: 4
      default: throw .noMessage
      }
    guard count <= range.count else { throw .noMessage }
    let content = range.prefix(count)
    range = content.upperBound..<range.upperBound
    return MessageField(tag: tag, start: start, value: value, content: content)
  }

  /// Reads all remaining fields.
  func rest() throws(ModelDamage) -> [MessageField] {
    var reader = self
    var fields: [MessageField] = []
    while let field = try reader.next() { fields.append(field) }
    return fields
  }

  /// Reads a variable-length number.
  ///
  /// Bits after the ninth byte are ignored, because no length or tag is that long.
  private mutating func number() throws(ModelDamage) -> Int {
    var value = 0
    for shift in stride(from: 0, to: 70, by: 7) {
      guard let index = range.popFirst() else { throw .noMessage }
      let byte = bytes[index]
      if shift < 63 { value |= Int(byte & 0x7F) << shift }
      if byte < 0x80 { return value }
    }
    throw .noMessage
  }
}

func bytesField(_ number: Int, _ content: [UInt8]) -> [UInt8] {
  varint(number << 3 | 2) + varint(content.count) + content
}

func textField(_ number: Int, _ text: String) -> [UInt8] {
  bytesField(number, Array(text.utf8))
}

func numberField(_ number: Int, _ value: Int) -> [UInt8] {
  varint(number << 3) + varint(value)
}

/// Returns the content of a `NodeProto`.
///
/// `attributes` contains the encoded attribute fields. `domain` is the operator's domain; nil for
/// the operators of ONNX itself.
func operatorNode(
  _ type: String, _ inputs: [String], _ output: String, _ attributes: [UInt8] = [],
  domain: String? = "com.microsoft"
) -> [UInt8] {
  inputs.flatMap { textField(1, $0) } + textField(2, output) + textField(4, type) + attributes
    + (domain.map { textField(7, $0) } ?? [])
}

/// Returns the field of a node for a float attribute.
func attribute(_ name: String, _ value: Float) -> [UInt8] {
  let bytes = withUnsafeBytes(of: value.bitPattern.littleEndian, Array.init)
  return bytesField(5, textField(1, name) + [2 << 3 | 5] + bytes + numberField(20, 1))
}

/// Returns the field of a node for an integer attribute.
func attribute(_ name: String, _ value: Int) -> [UInt8] {
  bytesField(5, textField(1, name) + numberField(3, value) + numberField(20, 2))
}

/// Returns the field of a graph for a `TensorProto`.
///
/// `type` is the element type: 1 for floats, 2 for unsigned bytes.
func tensorField(
  _ name: String, _ dimensions: [Int], _ content: [UInt8], type: Int = 2
) -> [UInt8] {
  bytesField(
    5,
    dimensions.flatMap { numberField(1, $0) } + numberField(2, type) + textField(8, name)
      + bytesField(9, content))
}

/// Returns a number as a protobuf varint, with seven bits per byte.
func varint(_ number: Int) -> [UInt8] {
  number < 0x80
    ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + varint(number >> 7)
}
