import FilePaths

/// The functions of ONNX Runtime's C interface that are used here.
///
/// The library exports one symbol. All other functions are in a table that only grows: a function
/// has the same index in every later version. The types are those of `onnxruntime_c_api.h`. A nil
/// status means success.
struct ONNXFunctions: Sendable {
  typealias Status = OpaquePointer
  typealias Created = UnsafeMutablePointer<OpaquePointer?>
  typealias Text = UnsafePointer<CChar>
  typealias Release = @Sendable @convention(c) (OpaquePointer) -> Void
  typealias Create = @Sendable @convention(c) (Created) -> Status?
  typealias Change = @Sendable @convention(c) (OpaquePointer) -> Status?
  typealias SetNumber = @Sendable @convention(c) (OpaquePointer, Int32) -> Status?
  typealias AddEntry = @Sendable @convention(c) (OpaquePointer, Text, Text) -> Status?
  typealias SetText = @Sendable @convention(c) (OpaquePointer, Text) -> Status?
  typealias GetCount =
    @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<Int>) -> Status?
  typealias GetPart = @Sendable @convention(c) (OpaquePointer, Created) -> Status?
  typealias GetPartAt = @Sendable @convention(c) (OpaquePointer, Int, Created) -> Status?
  typealias Log =
    @Sendable @convention(c) (UnsafeMutableRawPointer?, Int32, Text?, Text?, Text?, Text?) -> Void

  let errorMessage: @Sendable @convention(c) (Status) -> Text
  let createEnvironment:
    @Sendable @convention(c) (Log, UnsafeMutableRawPointer?, Int32, Text, Created) -> Status?
  let createSession:
    @Sendable @convention(c) (OpaquePointer, Text, OpaquePointer, Created) -> Status?
  let createSessionFromArray:
    @Sendable @convention(c) (OpaquePointer, UnsafeRawPointer, Int, OpaquePointer, Created) ->
      Status?
  let run:
    @Sendable @convention(c) (
      OpaquePointer, OpaquePointer?, UnsafePointer<Text>, UnsafePointer<OpaquePointer>, Int,
      UnsafePointer<Text>, Int, Created
    ) -> Status?
  let createSessionOptions: Create
  let setOptimizedModelFilePath: SetText
  let disableMemoryPattern: Change
  let disableArena: Change
  let setOptimizationLevel: SetNumber
  let setThreadCount: SetNumber
  let inputCount: GetCount
  let outputCount: GetCount
  let inputTypeInfo: GetPartAt
  let outputTypeInfo: GetPartAt
  let inputName: @Sendable @convention(c) (OpaquePointer, Int, OpaquePointer, Created) -> Status?
  let outputName: @Sendable @convention(c) (OpaquePointer, Int, OpaquePointer, Created) -> Status?
  let createRunOptions: Create
  let setTerminate: Change
  let createTensor:
    @Sendable @convention(c) (
      OpaquePointer, UnsafeMutableRawPointer, Int, UnsafePointer<Int64>, Int, Int32, Created
    ) -> Status?
  let tensorData:
    @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<UnsafeMutableRawPointer?>) ->
      Status?
  let tensorInfo: GetPart
  let elementType: @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<Int32>) -> Status?
  let dimensionCount: GetCount
  let dimensions:
    @Sendable @convention(c) (OpaquePointer, UnsafeMutablePointer<Int64>, Int) -> Status?
  let tensorTypeAndShape: GetPart
  let createMemoryInfo: @Sendable @convention(c) (Int32, Int32, Created) -> Status?
  let free: @Sendable @convention(c) (OpaquePointer, OpaquePointer) -> Status?
  let defaultAllocator: Create
  let releaseStatus: Release
  let releaseSession: Release
  let releaseValue: Release
  let releaseRunOptions: Release
  let releaseTypeInfo: Release
  let releaseTensorInfo: Release
  let releaseSessionOptions: Release
  let addConfigEntry: AddEntry
  let addRunConfigEntry: AddEntry

  /// - Parameter table: the table that the library returns for version 16 or later.
  init(table: UnsafePointer<UnsafeRawPointer>) {
    // The cast is safe, because the table contains the addresses of C functions with the types of
    // the header.
    func entry<Function>(_ index: Int) -> Function {
      unsafeBitCast(table[index], to: Function.self)
    }
    errorMessage = entry(2)
    createEnvironment = entry(4)
    createSession = entry(7)
    createSessionFromArray = entry(8)
    run = entry(9)
    createSessionOptions = entry(10)
    setOptimizedModelFilePath = entry(11)
    disableMemoryPattern = entry(17)
    disableArena = entry(19)
    setOptimizationLevel = entry(23)
    setThreadCount = entry(24)
    inputCount = entry(30)
    outputCount = entry(31)
    inputTypeInfo = entry(33)
    outputTypeInfo = entry(34)
    inputName = entry(36)
    outputName = entry(37)
    createRunOptions = entry(39)
    setTerminate = entry(46)
    createTensor = entry(49)
    tensorData = entry(51)
    tensorInfo = entry(55)
    elementType = entry(60)
    dimensionCount = entry(61)
    dimensions = entry(62)
    tensorTypeAndShape = entry(65)
    createMemoryInfo = entry(69)
    free = entry(76)
    defaultAllocator = entry(78)
    releaseStatus = entry(93)
    releaseSession = entry(95)
    releaseValue = entry(96)
    releaseRunOptions = entry(97)
    releaseTypeInfo = entry(98)
    releaseTensorInfo = entry(99)
    releaseSessionOptions = entry(100)
    addConfigEntry = entry(130)
    addRunConfigEntry = entry(165)
  }
}

/// Owns an object of the library and releases it.
///
/// `@unchecked Sendable` is needed for the pointer. It is safe because any thread may use and
/// release an object of the library as long as no thread changes it; code that shares an owner
/// ensures this.
struct ONNXOwner: ~Copyable, @unchecked Sendable {
  let pointer: OpaquePointer
  private let release: ONNXFunctions.Release?

  /// Creates an owner; `release` is nil for an object that lives as long as the library.
  init(_ pointer: OpaquePointer, releasedBy release: ONNXFunctions.Release?) {
    self.pointer = pointer
    self.release = release
  }

  deinit {
    release?(pointer)
  }
}

extension ONNXFunctions {
  /// Returns the object that a function of the library creates.
  func make(
    releasedBy release: Release? = nil, _ create: (Created) -> Status?
  ) throws(ONNXError) -> ONNXOwner {
    var created: OpaquePointer?
    try check(create(&created))
    guard let created else { throw .failed(reason: "it created nothing") }
    return ONNXOwner(created, releasedBy: release)
  }

  /// Returns the number that a function of the library returns.
  func count(_ get: GetCount, of object: OpaquePointer) throws(ONNXError) -> Int {
    var count = 0
    try check(get(object, &count))
    return count
  }

  /// Throws if a status is a failure; only this function turns statuses into errors.
  func check(_ status: Status?) throws(ONNXError) {
    guard let status else { return }
    defer { releaseStatus(status) }
    let reason = String(cString: errorMessage(status)).trimmed
    let isMemory = ["bad_alloc", "Failed to allocate memory"].contains(where: reason.contains)
    throw isMemory ? .outOfMemory(reason: reason) : .failed(reason: reason)
  }
}

extension String {
  /// The first line; the lines after it contain source locations.
  fileprivate var trimmed: String {
    split(separator: "\n").first.map { $0.trimmingPrefix(while: \.isWhitespace) }.map(String.init)
      ?? self
  }
}
