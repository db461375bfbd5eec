import AudioCore
import FilePaths
import FoundationEssentials
import SpeechEngine

/// A loaded model, which recognizers share.
///
/// `@unchecked Sendable` is safe because libvosk only reads a loaded model and counts its
/// references atomically.
final class VoskModel: @unchecked Sendable {
  let library: VoskLibrary
  let files: VoskModelFiles
  private let handle: OpaquePointer

  /// Loads a validated model.
  ///
  /// The corresponding C function is `vosk_model_new`.
  init(_ files: VoskModelFiles, with library: VoskLibrary) throws(SpeechEngineError) {
    guard let handle = FilePath(files.directory).withCString({ library.functions.newModel($0) })
    else {
      throw .modelDamaged(
        path: files.directory, reason: "libvosk cannot load it (see standard error)")
    }
    self.library = library
    self.files = files
    self.handle = handle
  }

  deinit {
    library.functions.freeModel(handle)
  }

  /// Whether the model contains a word; true if the library cannot look it up.
  func knows(_ word: String) -> Bool {
    library.functions.findWord.map { $0(handle, word) >= 0 } ?? true
  }

  /// Creates a recognizer.
  ///
  /// The corresponding C functions are `vosk_recognizer_new` and `vosk_recognizer_new_grm`.
  ///
  /// - Parameter phrases: the allowed phrases as JSON; nil for dictation.
  func makeRecognizer(phrases: String?) throws(SpeechEngineError) -> OpaquePointer {
    let rate = Float(SampleRate.speech.hertz)
    let functions = library.functions
    let recognizer =
      if let phrases {
        functions.newRecognizerForPhrases?(handle, rate, phrases)
      } else {
        functions.newRecognizer(handle, rate)
      }
    guard let recognizer else { throw .failed(reason: "libvosk made no recognizer") }
    return recognizer
  }
}

/// The location of Vosk models.
struct VoskModelLocation: Sendable {
  static let variable = "SYRINX_VOSK_MODEL"
  static let site = "https://alphacephei.com/vosk/models"
  static let remedy =
    "unpack one from \(site) there, or set \(variable) to the folder of one"

  private let chosen: String?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map { FilePath($0).text }
    self.environment = environment
  }

  /// Returns the valid models, the default first.
  ///
  /// - Throws: `.modelNotInstalled` if there is none; `.modelDamaged` or `.modelUnreadable` if none
  ///   is valid.
  func models() throws(SpeechEngineError) -> [VoskModelFiles] {
    try candidates.valid(
      orThrow: only.map { SpeechEngineError.noModel(inNamed: FilePath($0)) }
        ?? .modelNotInstalled(searched: searched, remedy: Self.remedy))
  }

  /// Returns the first model for a language.
  ///
  /// - Throws: the same errors as `models`, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> VoskModelFiles {
    try models().first(for: language)
  }

  /// The folder that the caller or the environment names, as the only folder to search; nil if none
  /// is named.
  private var only: String? { chosen ?? environment.nonEmpty(Self.variable) }

  private var candidates: [VoskModelFiles] {
    if let only { return VoskModelFiles(directory: only).map { [$0] } ?? [] }
    return searched.flatMap { folder in
      FilePath(folder).entries("vosk-model").compactMap(VoskModelFiles.init(directory:))
    }
  }

  private var searched: [String] {
    if let only { return [only] }
    let named = environment.nonEmpty("VOSK_MODEL_PATH").map { [$0] } ?? []
    let home = FilePath.home(environment["HOME"])?.text
    let users = home.map { ["\($0)/.cache/vosk", "\($0)/.local/share/vosk"] } ?? []
    return named + users + ["/usr/local/share/vosk", "/usr/share/vosk"]
  }
}

/// Finds the language of a Vosk model by its name: `vosk-model-small-en-us-0.15`.
extension VoskModelFiles {
  /// The language codes that replace the country codes in the names of some Vosk models.
  private static let corrections = ["cn": "zh", "ua": "uk", "kz": "kk", "vn": "vi", "jp": "ja"]

  /// Returns the language tag in a model's name, the last part of `path`; `und` if the name
  /// contains none.
  static func tag(ofModelNamed path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard name.hasPrefix("vosk-model-") else { return LanguageTag.unknown }
    let parts = name.split(separator: "-").dropFirst(2).drop { $0 == "small" || $0 == "big" }
    guard let first = parts.first, isCode(first, 2...3), first != "spk" else {
      return LanguageTag.unknown
    }
    let language = corrections[String(first)] ?? String(first)
    guard let second = parts.dropFirst().first, isCode(second, 2...2) else { return language }
    return "\(language)-\(second.uppercased())"
  }

  private static func isCode(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
    length.contains(text.count) && text.allSatisfy { $0.isASCII && $0.isLowercase }
  }
}
