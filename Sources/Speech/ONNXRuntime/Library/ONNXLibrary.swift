package import FilePaths
import FoundationEssentials
import Logging

/// A loaded libonnxruntime, with its environment.
///
/// The library is never unloaded, and its environment is never released, because sessions and
/// values may outlive this object.
package final class ONNXLibrary: Sendable {
  /// The version of the C interface that this code uses; later libraries also support it.
  private static let interface: UInt32 = 16
  static let leastVersion = "1.16"
  static let log = Logger(label: "syrinx.onnx")

  /// The path from which the library was loaded.
  package let path: FilePath
  /// The version that the library reports: "1.28.2".
  package let version: String
  let functions: ONNXFunctions
  private let environment: ONNXOwner
  private let memory: ONNXOwner

  /// Loads the library, unless it is already loaded; the corresponding C functions are `dlopen` and
  /// `OrtGetApiBase`.
  ///
  /// - Throws: `.libraryUnusable` if the path has no library or another library. If the library is
  ///   too old, the error contains its version.
  package init(path: FilePath) throws(ONNXError) {
    let base = try Self.base(of: path)
    // The base is a structure of two functions: one returns the interface, the other the version.
    let getInterface = base.load(as: GetInterface.self)
    let getVersion = base.load(
      fromByteOffset: MemoryLayout<GetInterface>.stride, as: GetVersion.self)
    guard let version = getVersion().map({ String(cString: $0) }) else {
      throw .libraryUnusable(path: path, reason: "it has no version")
    }
    // Checked first, because the library prints to standard error when an unsupported version is
    // requested.
    guard Self.isVersion(version, atLeast: Int(Self.interface)),
      let table = getInterface(Self.interface)
    else {
      throw .libraryUnusable(path: path, reason: "its version is \(version.printable)")
    }
    functions = ONNXFunctions(table: table)
    self.path = path
    self.version = version
    let functions = functions
    environment = try functions.make { created in
      functions.createEnvironment(logMessage, nil, Self.leastSeverity, "syrinx", created)
    }
    // The arguments are `OrtDeviceAllocator` and `OrtMemTypeDefault`: the program allocates the
    // memory.
    memory = try functions.make { functions.createMemoryInfo(0, 0, $0) }
  }

  /// Whether the library's version is at least 1.`minor`.
  package func isAtLeast(minor: Int) -> Bool { Self.isVersion(version, atLeast: minor) }

  static func isVersion(_ version: String, atLeast minor: Int) -> Bool {
    let parts = version.split(separator: ".").compactMap { Int($0) }
    return parts.count >= 2 && (parts[0], parts[1]) >= (1, minor)
  }

  private typealias GetInterface = @convention(c) (UInt32) -> UnsafePointer<UnsafeRawPointer>?
  private typealias GetVersion = @convention(c) () -> UnsafePointer<CChar>?

  /// Loads the library and returns the result of `OrtGetApiBase`.
  private static func base(of path: FilePath) throws(ONNXError) -> UnsafeRawPointer {
    let library: LoadedLibrary
    do throws(LoadedLibrary.Failure) {
      library = try LoadedLibrary(path)
    } catch {
      throw .libraryUnusable(path: path, reason: error.reason.printable)
    }
    typealias GetBase = @convention(c) () -> UnsafeRawPointer?
    let getBase: GetBase? = library.optional("OrtGetApiBase")
    guard let base = getBase?() else {
      throw .libraryUnusable(path: path, reason: "it has no OrtGetApiBase")
    }
    return base
  }

  /// Whether the dynamic loader can load a library of any kind from this path.
  static func isThere(_ path: FilePath) -> Bool { (try? LoadedLibrary(path)) != nil }

  /// The minimum severity of the messages to log: 2 (warning) if debug messages are logged,
  /// otherwise 4 (fatal), because errors are thrown with their reasons.
  private static var leastSeverity: Int32 { log.logLevel <= .debug ? 2 : 4 }

  /// Creates a session in the environment.
  func makeSession(
    _ create: (_ environment: OpaquePointer, ONNXFunctions.Created) -> ONNXFunctions.Status?
  ) throws(ONNXError) -> ONNXOwner {
    try functions.make(releasedBy: functions.releaseSession) { create(environment.pointer, $0) }
  }

  /// Creates a tensor that uses `bytes` without a copy; the bytes must outlive the tensor.
  func makeTensor(
    over bytes: UnsafeMutableRawBufferPointer, shape: [Int], type: ONNXElementType
  ) throws(ONNXError) -> ONNXOwner {
    // A tensor without elements has no memory, but the library requires an address.
    let address = bytes.baseAddress ?? UnsafeMutableRawPointer(memory.pointer)
    let shape = shape.map(Int64.init)
    return try functions.make(releasedBy: functions.releaseValue) { created in
      functions.createTensor(
        memory.pointer, address, bytes.count, shape, shape.count, type.rawValue, created)
    }
  }
}

/// Receives the library's messages, which it would otherwise print to standard error.
private func logMessage(
  _: UnsafeMutableRawPointer?, _: Int32, _: ONNXFunctions.Text?, _: ONNXFunctions.Text?,
  _: ONNXFunctions.Text?, message: ONNXFunctions.Text?
) {
  guard let message else { return }
  ONNXLibrary.log.debug("\(String(cString: message))")
}

extension ONNXLibrary {
  /// The environment variable with the path of the library.
  package static let variable = "SYRINX_ONNXRUNTIME_LIBRARY"
  /// The name of the component that contains the library.
  package static let component = "onnxruntime"
  package static let fileName = "libonnxruntime.so"

  /// Loads the installed library, or the system's library.
  ///
  /// If `chosen` or else the environment variable names a library, no other library is tried.
  ///
  /// - Throws: `.libraryMissing` with every place searched; if a library was found but cannot be
  ///   used, an error with the reason.
  package static func load(
    chosen: FilePath? = nil,
    environment: [String: String] = ProcessInfo.processInfo.environment
  ) throws(ONNXError) -> ONNXLibrary {
    if let named = chosen ?? environment.nonEmpty(variable).map({ FilePath($0) }) {
      return try ONNXLibrary(path: trusted(named))
    }
    let installed = InstalledFolder.installed(named: component, environment: environment)
    if let folder = installed.first {
      return try ONNXLibrary(path: InstalledFolder(folder).file(fileName))
    }
    // The dynamic loader also searches its own folders.
    if let name = systemNames.first(where: isThere) { return try ONNXLibrary(path: name) }
    let root = InstalledFolder.root(environment: environment)?.appending(FilePath(component))
    throw .libraryMissing(searched: [root?.description, "the loader's folders"].compactMap(\.self))
  }

  private static let systemNames: [FilePath] = ["libonnxruntime.so", "libonnxruntime.so.1"]

  /// Returns the path of the library; throws if another user can change the library.
  private static func trusted(_ path: FilePath) throws(ONNXError) -> FilePath {
    guard path.status != nil else {
      throw .libraryUnusable(path: path, reason: "it is missing")
    }
    return try InstalledFolder(path.folder).file(path.name.text)
  }
}
