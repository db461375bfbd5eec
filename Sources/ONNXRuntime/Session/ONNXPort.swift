/// An input or an output of a model.
package struct ONNXPort: Equatable, Sendable {
  package let name: String
  package let type: ONNXElementType
  /// The length of each dimension; nil where it may be any; empty for a scalar and for an
  /// unknown shape, which ONNX Runtime reports alike.
  package let shape: [Int?]

  package init(_ name: String, _ type: ONNXElementType, _ shape: [Int?]) {
    (self.name, self.type, self.shape) = (name, type, shape)
  }

  /// Whether a value of the other port's type and shape fits.
  func takes(_ other: ONNXPort) -> Bool {
    type == other.type && shape.count == other.shape.count
      && zip(shape, other.shape).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
  }

  /// For people: "float [1, ?, 416]".
  var kind: String {
    "\(type) [\(shape.map { $0.map(String.init) ?? "?" }.joined(separator: ", "))]"
  }
}

extension ONNXFunctions {
  /// The inputs or outputs of a session.
  func ports(
    of session: OpaquePointer, count: GetCount, typeInfo: GetPartAt,
    name: @Sendable @convention(c) (OpaquePointer, Int, OpaquePointer, Created) -> Status?
  ) throws(ONNXError) -> [ONNXPort] {
    var ports: [ONNXPort] = []
    for index in 0..<(try self.count(count, of: session)) {
      let name = try text { allocator, created in name(session, index, allocator, created) }
      let info = try make(releasedBy: releaseTypeInfo) { typeInfo(session, index, $0) }
      var tensor: OpaquePointer?
      try check(tensorInfo(info.pointer, &tensor))
      // A sequence or a map is not a tensor.
      ports.append(
        try tensor.map { tensor throws(ONNXError) in try port(tensor, named: name) }
          ?? ONNXPort(name, ONNXElementType(rawValue: 0), []))
    }
    return ports
  }

  /// The type and shape that the library reports for a tensor.
  func port(_ info: OpaquePointer, named name: String) throws(ONNXError) -> ONNXPort {
    var type: Int32 = 0
    try check(elementType(info, &type))
    var lengths = [Int64](repeating: 0, count: try count(dimensionCount, of: info))
    try check(dimensions(info, &lengths, lengths.count))
    let shape = lengths.map { $0 < 0 ? nil : Int($0) }
    return ONNXPort(name, ONNXElementType(rawValue: type), shape)
  }

  /// A string that the library allocates.
  private func text(
    _ get: (_ allocator: OpaquePointer, Created) -> Status?
  ) throws(ONNXError) -> String {
    let allocator = try make { defaultAllocator($0) }
    let text = try make { get(allocator.pointer, $0) }
    let copy = String(cString: UnsafePointer<CChar>(text.pointer))
    try check(free(allocator.pointer, text.pointer))
    return copy
  }
}
