import AudioCore
import FilePaths
import FoundationEssentials
import SpeechEngine

/// The location of a model.
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

  /// The directory of the model: the chosen one, else that of the environment, else Debian's.
  var directory: String { only ?? Self.debianDirectory }

  private var only: String? { chosen ?? environment.nonEmpty(Self.variable) }

  /// Throws if there is no model for the language.
  func check(language wanted: String?) throws(SpeechEngineError) {
    guard let wanted else { return }
    let available = try find().tag
    guard LanguageTag.understands(wanted, available: available) else {
      throw .languageMissing(wanted: wanted, available: available)
    }
  }

  var availability: SpeechEngineAvailability {
    SpeechEngineAvailability { () throws(SpeechEngineError) in
      let files = try find()
      return SpeechModel(language: files.tag, location: files.directory)
    }
  }

  /// The files of the model.
  ///
  /// They exist and are readable, but are not validated.
  func find() throws(SpeechEngineError) -> ModelFiles {
    if let files = try ModelFiles(directory: directory) { return files }
    if let only { throw .noModel(inNamed: FilePath(only)) }
    throw .modelMissing(searched: [directory], package: Self.package)
  }
}

/// The language of a model by its file names: `fr-fr`, `cmudict-en-us.dict`, `cmusphinx-it-5.2`.
enum ModelLanguageTag {
  /// Parts of file names that are not a language.
  private static let otherParts: Set = [
    "cmudict", "cmusphinx", "cont", "dict", "large", "lm", "model", "pocketsphinx", "ptm", "semi",
    "small", "voxforge",
  ]

  /// The tag by the names of a model's files; `und` if no name shows a language.
  ///
  /// The first language counts, and other names may add its region.
  static func tag(ofFilesNamed paths: [String]) -> String {
    let tags = paths.compactMap(tag(ofFileNamed:))
    guard let first = tags.first else { return LanguageTag.unknown }
    return tags.first { $0.hasPrefix("\(first)-") } ?? first
  }

  /// The tag by the last part of a path; nil if the name has unknown parts.
  private static func tag(ofFileNamed path: String) -> String? {
    let name = path.split(separator: "/").last?.lowercased() ?? ""
    let stem = [".dict", ".lm.bin"].first(where: name.hasSuffix).map { name.dropLast($0.count) }
    let parts = (stem ?? name[...]).split { "-_.".contains($0) }.filter { part in
      !otherParts.contains(String(part)) && !part.allSatisfy(\.isNumber)
    }
    guard (1...2).contains(parts.count), parts.allSatisfy(isCode), let first = parts.first else {
      return nil
    }
    return parts.count == 1 ? String(first) : "\(first)-\(parts[1].uppercased())"
  }

  private static func isCode(_ text: Substring) -> Bool {
    text.count == 2 && text.allSatisfy { $0.isASCII && $0.isLetter }
  }
}
