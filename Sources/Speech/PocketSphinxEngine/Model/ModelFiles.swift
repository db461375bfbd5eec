import AudioCore
import FilePaths
import FoundationEssentials
import Glibc
import SpeechEngine

/// The files of a model: an acoustic model, a dictionary, and a language model.
struct ModelFiles: Equatable, Sendable {
  /// The directory that contains all files of the model.
  let directory: String
  /// The acoustic model's directory.
  let acoustic: String
  let dictionary: String
  let language: String

  static let acousticNames = [
    "feat.params", "mdef", "means", "noisedict", "sendump", "transition_matrices", "variances",
  ]

  /// Finds the files in a directory; nil if the directory does not exist, or has neither a
  /// dictionary nor a language model.
  ///
  /// - Throws: `.modelDamaged` if a file is missing, `.modelUnreadable` without permission.
  init?(directory: String) throws(SpeechEngineError) {
    guard let names = try Self.names(in: directory),
      names.contains(where: { $0.hasSuffix(".dict") || $0.hasSuffix(".lm.bin") })
    else { return nil }
    self.directory = directory
    func first(_ what: String, _ isWanted: (String) -> Bool) throws(SpeechEngineError) -> String {
      guard let name = names.sorted().first(where: isWanted) else {
        throw .modelDamaged(path: directory, reason: "it has no \(what)")
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

  /// The model's language as a BCP 47 tag; `und` if no file name contains a language.
  var tag: String {
    Self.tag(ofFilesNamed: [directory, dictionary, acoustic, language])
  }

  func acousticFile(_ name: String) -> String { "\(acoustic)/\(name)" }

  /// Returns the names of the files in a directory; nil if the directory does not exist.
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
    throw .modelDamaged(path: directory, reason: "it has no acoustic model (a file mdef)")
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

  /// Checks that every file exists, has the expected magic, and has the size that its header
  /// announces.
  ///
  /// - Throws: `.modelDamaged` with the file and the reason, `.modelUnreadable`.
  @discardableResult
  func validate() throws(SpeechEngineError) -> ValidatedModel {
    // The stamps are read before the files, so that a change during validation is detected.
    let stamps = stamps
    try validateAcoustics()
    let vocabulary = try check(language) { file throws(ModelDamage) in try file.vocabulary() }
    let knownWords = try check(dictionary) { file throws(ModelDamage) in
      try file.checkDictionary()
      return file.excerpt(within: vocabulary)
    }
    return ValidatedModel(
      files: self, stamps: stamps, knownWords: knownWords, vocabulary: vocabulary)
  }

  /// Checks the acoustic model, and returns its phones, except those of silence and noise.
  ///
  /// - Throws: the same errors as `validate`.
  @discardableResult
  func validateAcoustics() throws(SpeechEngineError) -> [String] {
    _ = try featureParameters()
    for name in ["means", "variances", "transition_matrices"] {
      try check(acousticFile(name)) { file throws(ModelDamage) in
        try file.checkParameters(hasStreams: name != "transition_matrices")
      }
    }
    try check(acousticFile("sendump")) { file throws(ModelDamage) in try file.checkSenones() }
    try check(acousticFile("noisedict")) { file throws(ModelDamage) in try file.checkDictionary() }
    return try check(acousticFile("mdef")) { file throws(ModelDamage) in try file.voices() }
  }

  /// Reads and checks the parameters of the front end.
  func featureParameters() throws(SpeechEngineError) -> [String: String] {
    try check(acousticFile("feat.params")) { file throws(ModelDamage) in
      try file.featureParameters()
    }
  }

  /// Checks a file; a thrown error contains the file's path.
  @discardableResult
  private func check<Value>(
    _ path: String, _ body: (ModelBytes) throws(ModelDamage) -> Value
  ) throws(SpeechEngineError) -> Value {
    let file = try ModelBytes(path: path)
    return try SpeechEngineError.checking(path) { () throws(ModelDamage) in try body(file) }
  }
}

/// A model whose files have been validated.
final class ValidatedModel: Sendable {
  let files: ModelFiles
  /// The stamps of the files before validation.
  fileprivate let stamps: [[UInt64]?]
  /// The lines of the dictionary whose words are in the language model; dictation needs no others.
  let knownWords: [UInt8]
  /// The words of the language model.
  let vocabulary: Vocabulary

  fileprivate init(
    files: ModelFiles, stamps: [[UInt64]?], knownWords: [UInt8], vocabulary: Vocabulary
  ) {
    (self.files, self.stamps) = (files, stamps)
    (self.knownWords, self.vocabulary) = (knownWords, vocabulary)
  }
}

extension ModelCache<ValidatedModel> {
  /// Validates a model once, and again after a file changes.
  ///
  /// - Throws: `SpeechEngineError` if the model is damaged.
  func validated(_ files: ModelFiles) throws(SpeechEngineError) -> ValidatedModel {
    let stamps = files.stamps
    return try model(where: { $0.files == files && $0.stamps == stamps }, load: files.validate)
  }
}

extension ModelFiles {
  fileprivate var stamps: [[UInt64]?] { all.map { FilePath($0).status?.stamp } }
}

extension stat {
  /// A value that changes when the file is written or replaced.
  fileprivate var stamp: [UInt64] {
    // The time of the last change to data or metadata is included, because programs cannot set it.
    identity + [st_size, st_ctim.tv_sec, st_ctim.tv_nsec].map(UInt64.init(truncatingIfNeeded:))
  }
}

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

  /// The directory that the caller or the environment names, or else the directory of Debian's
  /// model.
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

  /// Returns the files of the model.
  ///
  /// The files exist and are readable, but are not validated.
  func find() throws(SpeechEngineError) -> ModelFiles {
    if let files = try ModelFiles(directory: directory) { return files }
    if let only { throw .noModel(inNamed: FilePath(only)) }
    throw .modelMissing(searched: [directory], package: Self.package)
  }
}

/// Finds the language of a model by its file names: `fr-fr`, `cmudict-en-us.dict`,
/// `cmusphinx-it-5.2`.
extension ModelFiles {
  /// Parts of file names that are not language codes.
  private static let otherParts: Set = [
    "cmudict", "cmusphinx", "cont", "dict", "large", "lm", "model", "pocketsphinx", "ptm", "semi",
    "small", "voxforge",
  ]

  /// Returns the language tag in the names of a model's files; `und` if no name contains a
  /// language.
  ///
  /// The first name with a language determines the tag; another name can only add a region.
  static func tag(ofFilesNamed paths: [String]) -> String {
    let tags = paths.compactMap(tag(ofFileNamed:))
    guard let first = tags.first else { return LanguageTag.unknown }
    return tags.first { $0.hasPrefix("\(first)-") } ?? first
  }

  /// Returns the language tag in a file's name, the last part of `path`; nil if the name has
  /// unknown parts.
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
