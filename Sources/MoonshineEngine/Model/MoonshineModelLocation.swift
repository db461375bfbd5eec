import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine

/// The folders that may contain models.
struct MoonshineModelLocation: Sendable {
  static let variable = "SYRINX_MOONSHINE_MODEL"
  static let remedy = "install ONNX Runtime and the Moonshine model"

  private let chosen: FilePath?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map(FilePath.init)
    self.environment = environment
  }

  /// The complete models, the default one first.
  ///
  /// - Throws: `.modelNotInstalled` if there is none; `.modelDamaged` or `.modelUnreadable` if none
  ///   is complete.
  func models() throws(SpeechEngineError) -> [MoonshineModelFiles] {
    try folders.map(MoonshineModelFiles.init).filter(\.isThere).valid(
      orThrow: only.map { SpeechEngineError.noModel(inNamed: $0) }
        ?? .modelNotInstalled(searched: searched, remedy: Self.remedy))
  }

  /// The first model that understands a language.
  ///
  /// - Throws: the same, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> MoonshineModelFiles {
    try models().first(for: language)
  }

  /// Why no model understands the language; nil if one does.
  func problem(with language: String?) -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      _ = try model(for: language)
      return nil
    } catch {
      return error
    }
  }

  /// A folder that was chosen is the only one; nothing else is taken in its place.
  private var only: FilePath? { chosen ?? environment.nonEmpty(Self.variable).map { FilePath($0) } }

  private var folders: [FilePath] {
    only.map { [$0] } ?? InstalledFolder.installed(named: "moonshine-", environment: environment)
  }

  private var searched: [String] {
    let root = InstalledFolder.root(environment: environment)
    return [root.map { "\($0.text)/moonshine-*" } ?? "~/.local/share/syrinx/moonshine-*"]
  }
}
