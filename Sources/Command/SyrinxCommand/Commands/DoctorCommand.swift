import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import SpeechClient
import SpeechEngine

/// `syrinx doctor`: checks whether playing, recording, and recognizing work on this machine.
struct DoctorCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Show what works on this machine, and how to fix the rest.",
    discussion: """
      Examples:
        syrinx doctor
        syrinx doctor --json
        syrinx doctor --loopback

      The exit status is 1 if playing, recording, or recognizing cannot work. The default devices \
      are opened and closed; nothing is played, except a click to measure the latency where nobody \
      hears it: on ALSA's loopback card.

      \(HealthFinding.schema)
      """)

  @OptionGroup var json: JSONOption

  @Flag(
    help: """
      Play a click on the default output, which is connected with the default input, and measure the \
      latency.
      """)
  var loopback = false

  @OptionGroup var common: CommonOptions

  func prepare(_ values: inout DependencyValues) throws {
    values.useInstalledEngines()
  }

  func perform(in context: CommandContext) async throws {
    let system = SystemExamination()
    let devices = DeviceExamination(cardIDs: system.cardIDs, isConnected: loopback)
    let findings = await devices.findings() + (await recognizing()) + system.findings
    for finding in findings {
      if json.isOn {
        try await context.console.print(finding.jsonLine())
      } else {
        try await context.console.printWrapped(finding.line)
      }
    }
    let failed = findings.filter { $0.state == .failure }.map(\.check)
    guard failed.isEmpty else {
      throw CommandFailure("not working: \(failed.joined(separator: ", "))")
    }
  }

  /// Returns a finding on speech recognition, and one for each missing engine.
  private func recognizing() async -> [HealthFinding] {
    @Dependency(\.speechClient) var speech
    let engines = await speech.engines()
    let ready = engines.filter { $0.obstacle == nil }
    let absent = engines.filter { $0.obstacle != nil }.map { engine in
      HealthFinding.note("engine", "\(engine.name) is not ready: \(engine.obstacle ?? "")")
    }
    guard !ready.isEmpty else {
      return [
        .failure(
          "recognizing", "no engine is ready", remedy: "`syrinx engines install moonshine`")
      ] + absent
    }
    let names = ready.map { engine in
      let languages = Set(engine.models.map(\.language)).sorted().joined(separator: ", ")
      return "\(engine.name) (\(languages))\(engine.isInUse ? ", the default" : "")"
    }
    return [.ok("recognizing", names.joined(separator: "; "))] + absent
  }
}

/// A line of `syrinx doctor`.
struct HealthFinding: Encodable, Equatable {
  /// The severity of the result.
  enum State: String, Encodable {
    /// The checked part works.
    case ok
    /// The checked part is limited or absent, but playing, recording, and recognizing work without
    /// it.
    case note
    /// Playing, recording, or recognizing cannot work.
    case failure
  }

  let check: String
  let state: State
  let detail: String
  /// The action to take; nil if none is needed.
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

  /// The human-readable line.
  var line: String {
    let end = remedy.map { "; \($0)" } ?? ""
    return "\(state.rawValue.padded(to: 7))  \(check.padded(to: 18))  \(detail)\(end)".printableLine
  }

  /// The help text about the JSON output.
  static let schema = """
    With --json, each line is an object: "check", "state" (ok, note, or failure), "detail", and, if \
    something can be done, "remedy".
    """
}
