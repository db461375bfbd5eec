/// Why an engine cannot recognise speech.
public enum SpeechEngineError: Error, Equatable {
  /// There is no model in any of the places searched; `package` is the Debian package that brings
  /// one.
  case modelMissing(searched: [String], package: String)
  /// The user may not read this file of the model.
  case modelUnreadable(path: String)
  /// This file of the model is damaged, or of another kind than the engine takes.
  case modelDamaged(path: String, reason: String)
  /// The model knows this language and not the one that was asked for.
  case languageMissing(wanted: String, available: String)
  /// The grammar has an error in this line (from 1), or one that belongs to no line.
  case grammarInvalid(line: Int?, reason: String)
  /// The engine failed; the text is its own.
  case failed(reason: String)
}

extension SpeechEngineError: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch self {
    case .modelMissing(let searched, let package):
      """
      no speech model was found in \(searched.joined(separator: " or ")); \
      `apt install \(package)` brings one
      """
    case .modelUnreadable(let path):
      "the speech model's file \(path) may not be read by this user"
    case .modelDamaged(let path, let reason):
      "the speech model's file \(path) is damaged: \(reason); install the model again"
    case .languageMissing(let wanted, let available):
      "the speech model knows \(available) and not \(wanted); ask for \(available), or use a model for \(wanted)"
    case .grammarInvalid(let line, let reason):
      line.map { "line \($0): \(reason)" } ?? reason
    case .failed(let reason):
      "the speech engine failed: \(reason)"
    }
  }
}
