import FilePaths
import Glibc
import SpeechEngine

/// The files that make up a model: an acoustic model, a dictionary, a language model.
struct ModelFiles: Equatable, Sendable {
  /// The directory that holds all of them.
  let directory: String
  /// The acoustic model's directory.
  let acoustic: String
  let dictionary: String
  let language: String

  static let acousticNames = [
    "feat.params", "mdef", "means", "noisedict", "sendump", "transition_matrices", "variances",
  ]

  /// Finds the files in a directory; nil where there is none, or it holds neither dictionary nor
  /// language model.
  ///
  /// - Throws: `.modelDamaged` for a directory without one of the files, `.modelUnreadable` for a
  ///   file without permission.
  init?(directory: String) throws(SpeechEngineError) {
    guard let names = try Self.names(in: directory),
      names.contains(where: { $0.hasSuffix(".dict") || $0.hasSuffix(".lm.bin") })
    else { return nil }
    self.directory = directory
    func first(_ what: String, _ isWanted: (String) -> Bool) throws(SpeechEngineError) -> String {
      guard let name = names.sorted().first(where: isWanted) else {
        throw .modelDamaged(path: directory, reason: "it holds no \(what)")
      }
      return "\(directory)/\(name)"
    }
    dictionary = try first("dictionary (*.dict)") { $0.hasSuffix(".dict") }
    language = try first("language model (*.lm.bin)") {
      $0.hasSuffix(".lm.bin") && !$0.hasSuffix("-phone.lm.bin")
    }
    acoustic = try Self.acousticDirectory(in: directory, names: names)
    for path in all { try Self.checkReadable(path) }
  }

  /// Every file of the model.
  var all: [String] {
    Self.acousticNames.map { "\(acoustic)/\($0)" } + [dictionary, language]
  }

  /// The model's language, as a BCP 47 tag; `und` where no name tells it.
  var tag: String {
    AcousticModelLanguage.tag(ofFilesNamed: [directory, dictionary, acoustic, language])
  }

  func acousticFile(_ name: String) -> String { "\(acoustic)/\(name)" }

  /// The names in a folder; nil where there is none.
  private static func names(in directory: String) throws(SpeechEngineError) -> [String]? {
    if let names = FilePath(directory).names { return names.map(\.text) }
    let code = errno
    if code == ENOTDIR || code == ENOENT { return nil }
    throw .unreadable(directory, code: code)
  }

  private static func acousticDirectory(
    in directory: String, names: [String]
  ) throws(SpeechEngineError) -> String {
    if names.contains("mdef") { return directory }
    for name in names.sorted() where exists("\(directory)/\(name)/mdef") {
      return "\(directory)/\(name)"
    }
    throw .modelDamaged(path: directory, reason: "it holds no acoustic model (a file mdef)")
  }

  private static func checkReadable(_ path: String) throws(SpeechEngineError) {
    guard exists(path) else { throw .modelDamaged(path: path, reason: "it is missing") }
    guard FilePath(path).withCString({ access($0, R_OK) }) == 0 else {
      throw .modelUnreadable(path: path)
    }
  }

  private static func exists(_ path: String) -> Bool {
    FilePath(path).status != nil
  }
}
