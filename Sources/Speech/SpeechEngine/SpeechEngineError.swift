package import FilePaths

/// The reason that an engine cannot recognize speech.
public enum SpeechEngineError: Error, Equatable {
  /// There is no model in any of the places searched; the Debian package `package` installs a
  /// model.
  case modelMissing(searched: [String], package: String)
  /// The process has no permission to read this file of the model.
  case modelUnreadable(path: String)
  /// The engine cannot use this file of the model: it is missing, damaged, or of another kind.
  case modelDamaged(path: String, reason: String)
  /// The model supports the language `available`, not the requested language.
  case languageMissing(wanted: String, available: String)
  /// The grammar has an error in this line (counted from 1); nil for an error without a line.
  case grammarInvalid(line: Int?, reason: String)
  /// The engine failed; the reason is its own message.
  case failed(reason: String)
  /// The engine's library is in none of the places searched, or cannot be used; `remedy` explains
  /// what to do.
  case libraryMissing(searched: [String], remedy: String)
  /// The engine's server or program cannot be reached at this address.
  case unreachable(address: String, reason: String)
  /// The model lacks this word of this phrase.
  case wordUnknown(String, phrase: String)
  /// The engine does not have this option, or the option's value is invalid.
  case optionInvalid(name: String, reason: String)
  /// The engine with this name does not support this feature.
  case unsupported(String, engine: String)
  /// There is no model in any of the places searched, and no package installs a model; `remedy`
  /// explains what to do.
  case modelNotInstalled(searched: [String], remedy: String)
  /// The session was interrupted.
  case interrupted
}

extension SpeechEngineError {
  /// Returns the error for a file or folder of a model that cannot be read; `code` is the `errno`
  /// of the attempt.
  package static func unreadable(_ path: String, code: Int32) -> SpeechEngineError {
    let error = FilePathError(code: code)
    guard !error.isOfFile else { return .modelUnreadable(path: path) }
    return .failed(reason: "\(FilePath(path)) cannot be read: \(error.readingReason)")
  }
}

extension SpeechEngineError {
  /// Returns the error for a user-specified model folder that contains no model.
  package static func noModel(inNamed folder: FilePath) -> SpeechEngineError {
    let isMissing = folder.status == nil
    return .modelNotInstalled(
      searched: [folder.text],
      remedy: isMissing
        ? "the folder does not exist or cannot be read; name the folder of a model, or omit it"
        : "the folder contains no model of a known engine; name another folder, or omit it"
    )
  }
}

extension SpeechEngineError: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    switch self {
    case .modelMissing(let searched, let package):
      "no speech model was found\(Self.place(searched)); `apt install \(package)` installs one"
    case .modelUnreadable(let path):
      "this user may not read the speech model's file \(FilePath(path)); change its permissions"
    case .modelDamaged(let path, let reason):
      "cannot use the speech model's file \(FilePath(path)): \(reason); install the model again"
    case .languageMissing("", let available):
      "the requested language is empty; request \(available), or omit it"
    case .languageMissing(let wanted, let available):
      "the speech model knows \(available) and not \(wanted); request \(available), or use a model for \(wanted)"
    case .grammarInvalid(let line, let reason):
      line.map { "line \($0): \(reason)" } ?? reason
    case .failed(let reason):
      "the speech engine failed: \(reason)"
    case .libraryMissing(let searched, let remedy):
      "the speech engine has no usable library\(Self.place(searched)): \(remedy)"
    case .unreachable(let address, let reason):
      "the speech engine at \(address) cannot be reached: \(reason)\(Self.remedy(at: address))"
    case .wordUnknown(let word, let phrase):
      """
      the speech model does not know the word "\(word)" of the phrase "\(phrase)"; \
      use words that it knows
      """
    case .optionInvalid(let name, let reason):
      "the speech engine's option \(name) cannot be used: \(reason)"
    case .unsupported(let feature, let engine):
      "\(engine) does not support \(feature); change the request, or use another engine"
    case .modelNotInstalled(let searched, let remedy):
      "no speech model was found\(Self.place(searched)): \(remedy)"
    case .interrupted:
      "the speech engine was interrupted"
    }
  }

  /// The places searched for a missing library or model; empty for any other error.
  package var searchedPlaces: [String] {
    switch self {
    case .modelMissing(let searched, _), .libraryMissing(let searched, _),
      .modelNotInstalled(let searched, _):
      searched
    default: []
    }
  }

  /// Returns " in" and the path if only one path was searched; otherwise, returns an empty string.
  ///
  /// A single path is usually a path that the user specified. Several paths are too long for a
  /// message.
  private static func place(_ searched: [String]) -> String {
    searched.count == 1 ? " in \(searched.joined().printable)" : ""
  }

  /// Returns the remedy for an unreachable server; empty for a program that could not be started,
  /// because the reason already contains the program's last output.
  private static func remedy(at address: String) -> String {
    address.hasPrefix("stdio")
      ? "" : "; start a server there, or choose another one"
  }
}
