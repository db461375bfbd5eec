import FilePaths
import FoundationEssentials
import SpeechEngine

/// Where a model may lie.
struct ModelLocation: Sendable {
  static let variable = "SYRINX_POCKETSPHINX_MODEL"
  static let debianDirectory = "/usr/share/pocketsphinx/model/en-us"
  static let package = "pocketsphinx-en-us"

  private let chosen: String?
  private let environment: [String: String]

  init(
    chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.chosen = chosen.map { FilePath($0).text }
    self.environment = environment
  }

  /// A directory that was chosen is the only one; nothing else is taken in its place.
  var candidates: [String] { [only ?? Self.debianDirectory] }

  private var only: String? {
    chosen ?? environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Throws where there is no model, or it does not know the language that is asked for.
  func check(language wanted: String?) throws(SpeechEngineError) {
    guard let wanted else { return }
    let available = try find().tag
    guard LanguageTag.understands(wanted, available: available) else {
      throw .languageMissing(wanted: wanted, available: available)
    }
  }

  var availability: SpeechEngineAvailability {
    do throws(SpeechEngineError) {
      let files = try find()
      return .ready(SpeechModel(language: files.tag, location: files.directory))
    } catch {
      return .unavailable(error)
    }
  }

  /// The files of the first model found; they are there and may be read, no more is said of them.
  func find() throws(SpeechEngineError) -> ModelFiles {
    for directory in candidates {
      if let files = try ModelFiles(directory: directory) { return files }
    }
    if let only { throw .noModel(inNamed: FilePath(only)) }
    throw .modelMissing(searched: candidates, package: Self.package)
  }
}
