import FilePaths
import Glibc
import Logging
import SpeechEngine

/// A loaded libvosk.
///
/// It is never unloaded: threads of its own may outlive its last model.
struct VoskLibrary: Sendable {
  /// The version that the functions used here are known from.
  static let knownVersion = "0.3.45"
  static let fileName = "libvosk.so"
  static let log = Logger(label: "syrinx.vosk")

  let path: String
  let functions: VoskFunctions

  /// Loads the library, or finds it loaded; the corresponding C function is `dlopen`.
  ///
  /// - Throws: `.libraryMissing` where the path leads to no library, or to one without a function
  ///   that is needed.
  init(path: String) throws(SpeechEngineError) {
    guard let handle = FilePath(path).withCString({ dlopen($0, RTLD_NOW | RTLD_LOCAL) }) else {
      let reason = dlerror().map { String(cString: $0) } ?? "it cannot be loaded"
      throw .libraryMissing(searched: [path], remedy: "\(reason); \(LibraryLocation.remedy)")
    }
    do throws(MissingSymbol) {
      functions = try VoskFunctions(LibrarySymbols(handle: handle))
    } catch {
      throw .libraryMissing(searched: [path], remedy: Self.remedy(for: error, in: path))
    }
    self.path = path
    // Below 0 it tells errors only, on standard error.
    functions.setLogLevel?(Self.log.logLevel <= .debug ? 0 : -1)
  }

  private static func remedy(for missing: MissingSymbol, in path: String) -> String {
    let version = LibraryVersion(path: path).map { "version \($0.text)" } ?? "it"
    return """
      \(version) has no \(missing.name); Syrinx needs what version \(knownVersion) has: \
      \(LibraryLocation.remedy)
      """
  }
}

/// The version of a library that pip has installed; the library itself does not tell.
struct LibraryVersion: Equatable {
  let text: String

  /// `0.3.45` by `site-packages/vosk-0.3.45.dist-info` beside `site-packages/vosk/libvosk.so`.
  init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    let suffix = ".dist-info"
    let name = Folder(parts.joined(separator: "/")).names.first {
      $0.hasPrefix("vosk-") && $0.hasSuffix(suffix)
    }
    guard let name else { return nil }
    text = String(name.dropFirst("vosk-".count).dropLast(suffix.count))
  }
}
