import FilePaths
import FoundationEssentials
import Logging
import SpeechEngine

/// A loaded libvosk.
///
/// It is never unloaded, because its threads may outlive its last model.
struct VoskLibrary: Sendable {
  /// The version that is known to have all functions used here.
  static let knownVersion = "0.3.45"
  static let fileName = "libvosk.so"
  static let log = Logger(label: "syrinx.vosk")

  let path: String
  let functions: VoskFunctions

  /// Loads the library.
  ///
  /// The corresponding C function is `dlopen`.
  ///
  /// - Throws: `.libraryMissing` if the file is not a library, or lacks a required function.
  init(path: String) throws(SpeechEngineError) {
    let library: LoadedLibrary
    do throws(LoadedLibrary.Failure) {
      library = try LoadedLibrary(FilePath(path))
    } catch {
      throw .libraryMissing(
        searched: [path], remedy: "\(error.reason); \(VoskLibraryLocation.remedy)")
    }
    do throws(LoadedLibrary.MissingFunction) {
      functions = try VoskFunctions(library)
    } catch {
      throw .libraryMissing(searched: [path], remedy: Self.remedy(for: error, in: path))
    }
    self.path = path
    // At levels below 0, libvosk prints only errors to standard error.
    functions.setLogLevel?(Self.log.logLevel <= .debug ? 0 : -1)
  }

  private static func remedy(for missing: LoadedLibrary.MissingFunction, in path: String) -> String
  {
    let version = version(ofFile: path).map { "version \($0)" } ?? "it"
    return """
      \(version) has no \(missing.name); Syrinx needs version \(knownVersion): \
      \(VoskLibraryLocation.remedy)
      """
  }

  /// Returns the version of a library that pip installed, from the name of a folder beside it.
  ///
  /// For `site-packages/vosk/libvosk.so`, the folder is `site-packages/vosk-0.3.45.dist-info`. The
  /// library itself does not contain its version.
  static func version(ofFile path: String) -> String? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropLast(2)
    let suffix = ".dist-info"
    let name = FilePath(parts.joined(separator: "/")).sortedNames.first {
      $0.hasPrefix("vosk-") && $0.hasSuffix(suffix)
    }
    return name.map { String($0.dropFirst("vosk-".count).dropLast(suffix.count)) }
  }
}

/// The functions of libvosk, found by name at run time.
///
/// Only some versions of the library have the optional functions.
struct VoskFunctions: Sendable {
  typealias Free = @Sendable @convention(c) (OpaquePointer) -> Void
  typealias SetNumber = @Sendable @convention(c) (OpaquePointer, Int32) -> Void
  typealias Answer = @Sendable @convention(c) (OpaquePointer) -> UnsafePointer<CChar>?

  let newModel: @Sendable @convention(c) (UnsafePointer<CChar>) -> OpaquePointer?
  let freeModel: Free
  let newRecognizer: @Sendable @convention(c) (OpaquePointer, Float) -> OpaquePointer?
  let freeRecognizer: Free
  let accept: @Sendable @convention(c) (OpaquePointer, UnsafePointer<Int16>, Int32) -> Int32
  let partialResult: Answer
  let result: Answer
  let finalResult: Answer

  let findWord: (@Sendable @convention(c) (OpaquePointer, UnsafePointer<CChar>) -> Int32)?
  let newRecognizerForPhrases:
    (@Sendable @convention(c) (OpaquePointer, Float, UnsafePointer<CChar>) -> OpaquePointer?)?
  let setWords: SetNumber?
  let setPartialWords: SetNumber?
  let setMaxAlternatives: SetNumber?
  let setEndpointerMode: SetNumber?
  let setEndpointerDelays: (@Sendable @convention(c) (OpaquePointer, Float, Float, Float) -> Void)?
  let setLogLevel: (@Sendable @convention(c) (Int32) -> Void)?

  /// Finds the functions; throws the name of the first missing required function.
  init(_ library: LoadedLibrary) throws(LoadedLibrary.MissingFunction) {
    newModel = try library.required("vosk_model_new")
    freeModel = try library.required("vosk_model_free")
    newRecognizer = try library.required("vosk_recognizer_new")
    freeRecognizer = try library.required("vosk_recognizer_free")
    accept = try library.required("vosk_recognizer_accept_waveform_s")
    partialResult = try library.required("vosk_recognizer_partial_result")
    result = try library.required("vosk_recognizer_result")
    finalResult = try library.required("vosk_recognizer_final_result")

    findWord = library.optional("vosk_model_find_word")
    newRecognizerForPhrases = library.optional("vosk_recognizer_new_grm")
    setWords = library.optional("vosk_recognizer_set_words")
    setPartialWords = library.optional("vosk_recognizer_set_partial_words")
    setMaxAlternatives = library.optional("vosk_recognizer_set_max_alternatives")
    setEndpointerMode = library.optional("vosk_recognizer_set_endpointer_mode")
    setEndpointerDelays = library.optional("vosk_recognizer_set_endpointer_delays")
    setLogLevel = library.optional("vosk_set_log_level")
  }
}

/// The location of libvosk.
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

  /// Loads the library that the user specified, or else the first library that can be loaded.
  ///
  /// If the user specified a library, no other library is tried.
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
    // The dynamic loader also searches its own folders.
    if let library = try? VoskLibrary(path: VoskLibrary.fileName) { return library }
    throw firstError ?? .libraryMissing(searched: searched, remedy: Self.remedy)
  }

  /// The libraries in the usual places.
  var found: [String] {
    let folders = libraryFolders + pythonFolders.flatMap(Self.packages)
    return folders.filter { FilePath($0).has(VoskLibrary.fileName) }
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
    let users = FilePath.home(environment["HOME"]).map { home in
      ["\(home.text)/.local", "\(home.text)/.local/share/pipx/venvs/vosk"]
        + FilePath("\(home.text)/.pyenv/versions").entries("3").reversed()
    }
    return active + (users ?? []) + ["/usr/local", "/usr"]
  }

  /// Returns the possible folders of the package `vosk`, two for each version of Python.
  private static func packages(below folder: String) -> [String] {
    FilePath("\(folder)/lib").entries("python3").reversed().flatMap {
      ["\($0)/site-packages/vosk", "\($0)/dist-packages/vosk"]
    }
  }
}

/// Lists a folder; a missing folder has no entries.
extension FilePath {
  /// The names in alphabetical order; none if the folder is missing or unreadable.
  var sortedNames: [String] { names?.map(\.text).sorted() ?? [] }

  /// Returns the paths of the entries with this prefix.
  func entries(_ prefix: String) -> [String] {
    sortedNames.filter { $0.hasPrefix(prefix) }.map { "\(text)/\($0)" }
  }

  func has(_ name: String) -> Bool { FilePath("\(text)/\(name)").status != nil }
}
