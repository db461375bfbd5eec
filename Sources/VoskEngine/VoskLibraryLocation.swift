import FilePaths
import FoundationEssentials
import SpeechEngine

/// Where to find libvosk.
struct VoskLibraryLocation: Sendable {
  static let variable = "SYRINX_VOSK_LIBRARY"
  static let remedy =
    "run `pip install --break-system-packages vosk`, or set \(variable) to the path of libvosk.so"

  private let chosen: String?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map { FilePath($0).text }
    self.environment = environment
  }

  /// Loads the chosen library, which has no fallback, or else the first library that loads.
  ///
  /// - Throws: `.libraryMissing` with every folder searched, or the error of the first library
  ///   found.
  func load() throws(SpeechEngineError) -> VoskLibrary {
    if let only = chosen ?? environment.nonEmpty(Self.variable) {
      return try VoskLibrary(path: only)
    }
    var firstError: SpeechEngineError?
    for path in found {
      do throws(SpeechEngineError) {
        return try VoskLibrary(path: path)
      } catch {
        firstError = firstError ?? error
      }
    }
    // The loader also searches its own folders.
    if let library = try? VoskLibrary(path: VoskLibrary.fileName) { return library }
    throw firstError ?? .libraryMissing(searched: searched, remedy: Self.remedy)
  }

  /// The libraries in the usual places.
  var found: [String] {
    let folders = libraryFolders + pythonFolders.flatMap(Self.packages)
    return folders.filter { Folder($0).has(VoskLibrary.fileName) }
      .map { "\($0)/\(VoskLibrary.fileName)" }
  }

  private var searched: [String] {
    libraryFolders
      + [
        "lib/python3*/site-packages/vosk below " + pythonFolders.joined(separator: ", "),
        "the loader's folders",
      ]
  }

  private var libraryFolders: [String] {
    let named = environment["LD_LIBRARY_PATH"]?.split(separator: ":").map(String.init) ?? []
    return named + ["/usr/local/lib", "/usr/lib"]
  }

  /// The prefixes of Python installations.
  private var pythonFolders: [String] {
    let active = ["VIRTUAL_ENV", "CONDA_PREFIX"].compactMap(environment.nonEmpty)
    let users = environment.nonEmpty("HOME").map { home in
      ["\(home)/.local", "\(home)/.local/share/pipx/venvs/vosk"]
        + Folder("\(home)/.pyenv/versions").entries("3").reversed()
    }
    return active + (users ?? []) + ["/usr/local", "/usr"]
  }

  /// The folders of the package `vosk`, for each version of Python.
  private static func packages(below folder: String) -> [String] {
    Folder("\(folder)/lib").entries("python3").reversed().flatMap {
      ["\($0)/site-packages/vosk", "\($0)/dist-packages/vosk"]
    }
  }
}

/// A folder that may not exist.
struct Folder {
  let path: String

  init(_ path: String) {
    self.path = path
  }

  /// The names in alphabetical order; none if the folder is missing or unreadable.
  var names: [String] {
    FilePath(path).names?.map(\.text).sorted() ?? []
  }

  /// The paths of the entries with this prefix.
  func entries(_ prefix: String) -> [String] {
    names.filter { $0.hasPrefix(prefix) }.map { "\(path)/\($0)" }
  }

  func has(_ name: String) -> Bool {
    FilePath("\(path)/\(name)").status != nil
  }
}
