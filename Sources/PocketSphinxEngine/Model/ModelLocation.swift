import FoundationEssentials
import SpeechEngine

/// Where a model may lie.
struct ModelLocation: Sendable {
  static let variable = "SYRINX_POCKETSPHINX_MODEL"
  static let debianDirectory = "/usr/share/pocketsphinx/model/en-us"
  static let language = "en-US"
  static let package = "pocketsphinx-en-us"

  private let chosen: String?
  private let environment: [String: String]

  init(
    chosen: URL?, environment: [String: String] = ProcessInfo.processInfo.environment
  ) {
    self.chosen = chosen?.path
    self.environment = environment
  }

  /// A directory that was chosen is the only one; nothing else is taken in its place.
  var candidates: [String] {
    let named = environment[Self.variable].flatMap { $0.isEmpty ? nil : $0 }
    return [chosen ?? named ?? Self.debianDirectory]
  }

  /// Throws where the model does not know the language; `en` and `en_US` are taken for `en-US`.
  static func check(language wanted: String?) throws(SpeechEngineError) {
    guard let wanted else { return }
    let tag = wanted.replacing("_", with: "-").lowercased()
    guard tag == "en" || tag == language.lowercased() else {
      throw .languageMissing(wanted: wanted, available: language)
    }
  }

  var availability: SpeechEngineAvailability {
    do throws(SpeechEngineError) {
      let files = try find()
      return .ready(SpeechModel(language: Self.language, location: files.directory))
    } catch {
      return .unavailable(error)
    }
  }

  /// The files of the first model found; they are there and may be read, no more is said of them.
  func find() throws(SpeechEngineError) -> ModelFiles {
    for directory in candidates {
      if let files = try ModelFiles(directory: directory) { return files }
    }
    throw .modelMissing(searched: candidates, package: Self.package)
  }
}
