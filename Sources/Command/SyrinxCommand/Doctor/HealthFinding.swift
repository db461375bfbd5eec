import FilePaths

/// A line of `syrinx doctor`.
struct HealthFinding: Encodable, Equatable {
  /// How serious it is.
  enum State: String, Encodable {
    /// It works.
    case ok
    /// It is limited or absent; playing, recording, and recognizing work without it.
    case note
    /// Playing, recording, or recognizing cannot work.
    case failure
  }

  let check: String
  let state: State
  let detail: String
  /// What to do; nil if there is nothing to do.
  let remedy: String?

  private init(_ check: String, _ state: State, _ detail: String, remedy: String?) {
    (self.check, self.state, self.detail, self.remedy) = (check, state, detail, remedy)
  }

  static func ok(_ check: String, _ detail: String) -> HealthFinding {
    HealthFinding(check, .ok, detail, remedy: nil)
  }

  static func note(_ check: String, _ detail: String, remedy: String? = nil) -> HealthFinding {
    HealthFinding(check, .note, detail, remedy: remedy)
  }

  static func failure(_ check: String, _ detail: String, remedy: String?) -> HealthFinding {
    HealthFinding(check, .failure, detail, remedy: remedy)
  }

  /// The line for people.
  var line: String {
    let end = remedy.map { "; \($0)" } ?? ""
    return "\(state.rawValue.padded(to: 7))  \(check.padded(to: 18))  \(detail)\(end)".printableLine
  }

  /// The documentation of the JSON in the help.
  static let schema = """
    With --json, each line is an object: "check", "state" (ok, note, or failure), "detail", and, if \
    something can be done, "remedy".
    """
}
