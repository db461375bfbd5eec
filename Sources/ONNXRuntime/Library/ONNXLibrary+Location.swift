package import FilePaths
import FoundationEssentials

extension ONNXLibrary {
  /// The variable with the path of the library.
  package static let variable = "SYRINX_ONNXRUNTIME_LIBRARY"
  /// The component that holds the library, and the library in it.
  package static let component = "onnxruntime"
  package static let fileName = "libonnxruntime.so"

  /// Loads the library from where it was installed, or from the system.
  ///
  /// If a library was chosen, or else if the variable names one, no other library is tried.
  ///
  /// - Throws: `.libraryMissing` with every place searched; for a library that was found, the
  ///   reason that it cannot be used.
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
    // The loader has its own list of folders.
    if let name = systemNames.first(where: isThere) { return try ONNXLibrary(path: name) }
    let root = InstalledFolder.root(environment: environment)?.appending(FilePath(component))
    throw .libraryMissing(searched: [root?.description, "the loader's folders"].compactMap(\.self))
  }

  private static let systemNames: [FilePath] = ["libonnxruntime.so", "libonnxruntime.so.1"]

  /// The path of the library, if no other user can change it.
  private static func trusted(_ path: FilePath) throws(ONNXError) -> FilePath {
    guard path.status != nil else {
      throw .libraryUnusable(path: path, reason: "it is missing")
    }
    return try InstalledFolder(path.folder).file(path.name.text)
  }
}
