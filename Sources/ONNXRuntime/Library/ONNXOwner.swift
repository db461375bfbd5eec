import FilePaths

/// The one owner of an object of the library, which it releases.
///
/// Unchecked, because of the pointer; right, because the library lets any thread use and release an
/// object that no thread changes. Code that shares an owner ensures that.
struct ONNXOwner: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  private let release: ONNXFunctions.Release?

  /// - Parameter release: nil for an object that lives as long as the library.
  init(_ pointer: OpaquePointer, releasedBy release: ONNXFunctions.Release?) {
    self.pointer = pointer
    self.release = release
  }

  deinit {
    release?(pointer)
  }
}

extension ONNXFunctions {
  /// The object that a function of the library creates.
  func make(
    releasedBy release: Release? = nil, _ create: (Created) -> Status?
  ) throws(ONNXError) -> ONNXOwner {
    var created: OpaquePointer?
    try check(create(&created))
    guard let created else { throw .failed(reason: "it created nothing") }
    return ONNXOwner(created, releasedBy: release)
  }

  /// The number that a function of the library returns.
  func count(_ get: GetCount, of object: OpaquePointer) throws(ONNXError) -> Int {
    var count = 0
    try check(get(object, &count))
    return count
  }

  /// Throws a failed status as an error; no other code does this.
  func check(_ status: Status?) throws(ONNXError) {
    guard let status else { return }
    defer { releaseStatus(status) }
    let reason = String(cString: errorMessage(status)).trimmed
    let isMemory = ["bad_alloc", "Failed to allocate memory"].contains(where: reason.contains)
    throw isMemory ? .outOfMemory(reason: reason) : .failed(reason: reason)
  }
}

extension String {
  /// The first line, without the source locations on the lines after it.
  fileprivate var trimmed: String {
    split(separator: "\n").first.map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init)
      ?? self
  }
}
