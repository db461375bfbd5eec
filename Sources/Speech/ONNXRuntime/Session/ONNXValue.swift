import FilePaths

/// A type of tensor elements.
package protocol ONNXElement: BitwiseCopyable, Sendable {
  /// The element type in the library's terms.
  static var elementType: ONNXElementType { get }
}

/// A type of elements, by its number in `ONNXTensorElementDataType`.
package struct ONNXElementType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  package let rawValue: Int32

  package init(rawValue: Int32) {
    self.rawValue = rawValue
  }

  package static let float = ONNXElementType(rawValue: 1)
  package static let int64 = ONNXElementType(rawValue: 7)
  package static let bool = ONNXElementType(rawValue: 9)

  private static let names = [
    "undefined", "float", "uint8", "int8", "uint16", "int16", "int32", "int64", "string", "bool",
    "float16", "double", "uint32", "uint64",
  ]

  package var description: String {
    let index = Int(rawValue)
    return Self.names.indices.contains(index) ? Self.names[index] : "type \(rawValue)"
  }
}

extension Float: ONNXElement {
  package static let elementType = ONNXElementType.float
}

extension Int64: ONNXElement {
  package static let elementType = ONNXElementType.int64
}

extension Bool: ONNXElement {
  package static let elementType = ONNXElementType.bool
}

/// A tensor: the output of a run, or an input of any number of runs.
///
/// Thread safety: it is immutable, so any thread may read it.
package final class ONNXValue: Sendable {
  /// The length of each dimension.
  package let shape: [Int]
  package let type: ONNXElementType
  let owner: ONNXOwner
  // The elements of `owner`, in the library's memory or in `memory`.
  private nonisolated(unsafe) let elements: UnsafeRawPointer
  // Memory that the value itself allocated.
  private nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer?

  /// Creates a tensor whose elements the caller writes in place.
  ///
  /// - Parameters:
  ///   - element: the type of the elements.
  ///   - shape: the length of each dimension; with a length of 0, the tensor has no elements.
  ///   - library: the loaded library.
  ///   - write: writes every element; without it, all elements are zero.
  package init<Element: ONNXElement>(
    of element: Element.Type, shape: [Int], in library: ONNXLibrary,
    write: ((UnsafeMutableBufferPointer<Element>) -> Void)? = nil
  ) throws(ONNXError) {
    let count = shape.reduce(1, *)
    let bytes = UnsafeMutableRawBufferPointer.allocate(
      byteCount: count * MemoryLayout<Element>.stride, alignment: 64)
    if let write {
      write(bytes.bindMemory(to: Element.self))
    } else {
      bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }
    do throws(ONNXError) {
      owner = try library.makeTensor(over: bytes, shape: shape, type: Element.elementType)
    } catch {
      bytes.deallocate()
      throw error
    }
    (self.shape, type) = (shape, Element.elementType)
    memory = bytes
    elements = UnsafeRawPointer(bytes.baseAddress ?? UnsafeMutableRawPointer(owner.pointer))
  }

  /// Creates a tensor with a copy of the elements in row-major order.
  package convenience init<Element: ONNXElement>(
    _ elements: [Element], shape: [Int], in library: ONNXLibrary
  ) throws(ONNXError) {
    precondition(elements.count == shape.reduce(1, *), "The shape has as many elements.")
    try self.init(of: Element.self, shape: shape, in: library) { memory in
      // The elements are copied as bytes, because a generic copy of each element took a tenth of
      // the recognition time.
      elements.withUnsafeBytes { UnsafeMutableRawBufferPointer(memory).copyMemory(from: $0) }
    }
  }

  /// Takes ownership of a run's result.
  init(_ owner: consuming ONNXOwner, in library: ONNXLibrary) throws(ONNXError) {
    let functions = library.functions
    let value = owner.pointer
    let info = try functions.make(releasedBy: functions.releaseTensorInfo) {
      functions.tensorTypeAndShape(value, $0)
    }
    let port = try functions.port(info.pointer, named: "")
    var data: UnsafeMutableRawPointer?
    try functions.check(functions.tensorData(value, &data))
    shape = port.shape.map { $0 ?? 0 }
    type = port.type
    elements = UnsafeRawPointer(data ?? UnsafeMutableRawPointer(value))
    memory = nil
    self.owner = owner
  }

  deinit {
    memory?.deallocate()
  }

  /// The number of elements.
  package var count: Int { shape.reduce(1, *) }

  /// Calls `body` with the elements, without a copy.
  ///
  /// - Throws: `.failed` if they have another type; errors of `body`.
  package func withElements<Element: ONNXElement, Value>(
    of element: Element.Type = Element.self,
    _ body: (UnsafeBufferPointer<Element>) throws(ONNXError) -> Value
  ) throws(ONNXError) -> Value {
    guard type == Element.elementType else {
      throw .failed(reason: "a tensor of \(type) was read as \(Element.elementType)")
    }
    let start = elements.assumingMemoryBound(to: Element.self)
    return try withExtendedLifetime(self) { () throws(ONNXError) in
      try body(UnsafeBufferPointer(start: start, count: count))
    }
  }
}

/// An input or an output of a model.
package struct ONNXPort: Equatable, Sendable {
  package let name: String
  package let type: ONNXElementType
  /// The length of each dimension, nil for any length.
  ///
  /// Empty for both a scalar and an unknown shape, because ONNX Runtime does not distinguish them.
  package let shape: [Int?]

  package init(_ name: String, _ type: ONNXElementType, _ shape: [Int?]) {
    (self.name, self.type, self.shape) = (name, type, shape)
  }

  /// Whether this port accepts a value of the other port's type and shape.
  func takes(_ other: ONNXPort) -> Bool {
    type == other.type && shape.count == other.shape.count
      && zip(shape, other.shape).allSatisfy { $0 == nil || $1 == nil || $0 == $1 }
  }

  /// The displayed type and shape: "float [1, ?, 416]".
  var kind: String {
    "\(type) [\(shape.map { $0.map(String.init) ?? "?" }.joined(separator: ", "))]"
  }
}

extension ONNXFunctions {
  /// Returns the inputs or outputs of a session.
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
      // `tensor` is nil for a sequence or a map.
      ports.append(
        try tensor.map { tensor throws(ONNXError) in try port(tensor, named: name) }
          ?? ONNXPort(name, ONNXElementType(rawValue: 0), []))
    }
    return ports
  }

  /// Returns the type and shape that the library reports for a tensor.
  func port(_ info: OpaquePointer, named name: String) throws(ONNXError) -> ONNXPort {
    var type: Int32 = 0
    try check(elementType(info, &type))
    var lengths = [Int64](repeating: 0, count: try count(dimensionCount, of: info))
    try check(dimensions(info, &lengths, lengths.count))
    let shape = lengths.map { $0 < 0 ? nil : Int($0) }
    return ONNXPort(name, ONNXElementType(rawValue: type), shape)
  }

  /// Returns a copy of a string that the library allocates.
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
