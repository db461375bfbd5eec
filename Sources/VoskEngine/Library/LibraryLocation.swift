import FilePaths
import FoundationEssentials
import SpeechEngine

/// Where libvosk may lie.
struct LibraryLocation: Sendable {
  static let variable = "SYRINX_VOSK_LIBRARY"
  static let remedy = "`pip install vosk` brings one, or set \(variable) to the path of libvosk.so"

  private let chosen: String?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map { FilePath($0).text }
    self.environment = environment
  }

  /// Loads the library.
  ///
  /// One that was chosen is the only one; nothing else is taken in its place.
  ///
  /// - Throws: `.libraryMissing` with every place searched; with the trouble of the first that was
  ///   found, where one was.
  func load() throws(SpeechEngineError) -> VoskLibrary {
    if let only = chosen ?? environment.nonEmpty(Self.variable) {
      return try VoskLibrary(path: only)
    }
    var trouble: SpeechEngineError?
    for path in found {
      do throws(SpeechEngineError) {
        return try VoskLibrary(path: path)
      } catch {
        trouble = trouble ?? error
      }
    }
    // The loader also looks into its own list of folders.
    if let library = try? VoskLibrary(path: VoskLibrary.fileName) { return library }
    throw trouble ?? .libraryMissing(searched: searched, remedy: Self.remedy)
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

  /// What Python's packages may be installed below.
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
