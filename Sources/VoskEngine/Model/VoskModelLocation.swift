import FilePaths
import FoundationEssentials
import SpeechEngine

/// Where models of Vosk may lie.
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

  /// The whole models that there are, the one that is taken by itself first.
  ///
  /// - Throws: `.modelNotInstalled` where there is none, `.modelDamaged` or `.modelUnreadable`
  ///   where there is no whole one.
  func models() throws(SpeechEngineError) -> [VoskModelFiles] {
    var whole: [VoskModelFiles] = []
    var trouble: SpeechEngineError?
    for files in candidates {
      do throws(SpeechEngineError) {
        try files.validate()
        whole.append(files)
      } catch {
        trouble = trouble ?? error
      }
    }
    guard whole.isEmpty else { return whole }
    if let trouble { throw trouble }
    if let only { throw .noModel(inNamed: FilePath(only)) }
    throw .modelNotInstalled(searched: searched, remedy: Self.remedy)
  }

  /// The first model that understands a language.
  ///
  /// - Throws: the same, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> VoskModelFiles {
    let all = try models()
    if let files = all.first(where: {
      LanguageTag.understands(language, available: $0.language)
    }) {
      return files
    }
    throw .languageMissing(
      wanted: language ?? "", available: all.map(\.language).joined(separator: ", "))
  }

  /// A folder that was chosen is the only one; nothing else is taken in its place.
  private var only: String? { chosen ?? environment.nonEmpty(Self.variable) }

  private var candidates: [VoskModelFiles] {
    if let only { return VoskModelFiles(directory: only).map { [$0] } ?? [] }
    return searched.flatMap { folder in
      Folder(folder).entries("vosk-model").compactMap(VoskModelFiles.init(directory:))
    }
  }

  private var searched: [String] {
    if let only { return [only] }
    let named = environment.nonEmpty("VOSK_MODEL_PATH").map { [$0] } ?? []
    let home = environment.nonEmpty("HOME")
    let users = home.map { ["\($0)/.cache/vosk", "\($0)/.local/share/vosk"] } ?? []
    return named + users + ["/usr/local/share/vosk", "/usr/share/vosk"]
  }
}
