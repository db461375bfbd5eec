import FilePaths
import FoundationEssentials
import ONNXRuntime
import SpeechEngine

/// Where models may lie.
struct MoonshineModelLocation: Sendable {
  static let variable = "SYRINX_MOONSHINE_MODEL"
  static let remedy = "install ONNX Runtime and the Moonshine model"

  private let chosen: FilePath?
  private let environment: [String: String]

  init(chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment) {
    self.chosen = chosen.map(FilePath.init)
    self.environment = environment
  }

  /// The whole models that there are, the one that is taken by itself first.
  ///
  /// - Throws: `.modelNotInstalled` where there is none; `.modelDamaged` or `.modelUnreadable` where
  ///   there is no whole one.
  func models() throws(SpeechEngineError) -> [MoonshineModelFiles] {
    var whole: [MoonshineModelFiles] = []
    var trouble: SpeechEngineError?
    for files in folders.map(MoonshineModelFiles.init) where files.isThere {
      do throws(SpeechEngineError) {
        try files.check()
        whole.append(files)
      } catch {
        trouble = trouble ?? error
      }
    }
    guard whole.isEmpty else { return whole }
    if let trouble { throw trouble }
    if let only { throw .noModel(inNamed: only) }
    throw .modelNotInstalled(searched: searched, remedy: Self.remedy)
  }

  /// The first model that understands a language.
  ///
  /// - Throws: the same, and `.languageMissing`.
  func model(for language: String?) throws(SpeechEngineError) -> MoonshineModelFiles {
    let all = try models()
    if let files = all.first(where: {
      LanguageTag.understands(language, available: $0.language)
    }) {
      return files
    }
    throw .languageMissing(
      wanted: language ?? "", available: all.map(\.language).joined(separator: ", "))
  }

  /// Why no model understands the language; nil where one does.
  func trouble(with language: String?) -> SpeechEngineError? {
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
