import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import ONNXRuntime
import SpeechClient
import SpeechEngine

/// `syrinx engines`: lists the recognizers and their models.
struct EnginesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "List the speech recognition engines, their models, and what is missing.",
    discussion: """
      Examples:
        syrinx engines
        syrinx engines install moonshine
        syrinx engines --verify

      Each model has a line with engine, languages (und if unknown), and location. An asterisk marks \
      the default engine. If an engine is not ready, its line names the missing package or path. The \
      command loads libraries but no models, and downloads nothing. It asks a Wyoming server for its \
      models.

      A second line lists what the engine can do besides dictation. Some features need a certain \
      model; a command that lacks it reports that. Engines without contextual phrases use \
      --context only for the spelling of the results. Any other unsupported option is an error.

      The exit status is 0 if at least one engine is ready; with --verify, if something is installed \
      and every file is intact.

      \(JSONRecord.engineSchema) \(JSONRecord.detectorSchema)

      \(EngineName.help)
      """,
    subcommands: [InstallCommand.self, RemoveCommand.self])

  @OptionGroup var json: JSONOption

  @Option(help: .value("folder", "Model folder to try with each engine."))
  var model: FilePath?

  @Option(
    help: .value("address", "Wyoming server to ask (default: tcp://127.0.0.1:10300)."))
  var server: String?

  @Flag(help: "Check every installed file against its recorded SHA-256.")
  var verify = false

  @OptionGroup var destination: InstallFolderOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  func validate() throws {
    try server.map(EngineOptions.check(server:))
  }

  func prepare(_ values: inout DependencyValues) throws {
    values.useInstalledEngines(EngineSettings(model: model, server: server))
  }

  func perform(in context: CommandContext) async throws {
    if verify { return try await verifyFiles(in: context) }
    // `validate` cannot check this, because it also runs for the subcommands, which accept --to.
    try require(
      destination.chosen == nil, "--to requires --verify, or `engines install` or `engines remove`."
    )
    @Dependency(\.speechClient) var speech
    let engines = await speech.engines()
    @Dependency(\.speechActivityDetector) var inUse
    let detector = inUse.installed
    if json.isOn {
      for engine in engines { try await context.console.print(JSONRecord(engine).jsonLine()) }
      try await context.console.print(JSONRecord(detector: detector).jsonLine())
    } else {
      let lines = engines.tableLines + [SpeechActivityDetector.line(detector)]
      for line in lines { try await context.console.printWrapped(line) }
    }
    guard engines.contains(where: { $0.obstacle == nil }) else {
      throw CommandFailure("no engine is ready")
    }
  }

  private func verifyFiles(in context: CommandContext) async throws {
    let folder = try destination.folder
    let verified = try await EngineInstaller(folder: folder, console: context.console).verify()
    guard !verified.isEmpty else {
      throw CommandFailure("nothing is installed in \(folder); run `syrinx engines install all`")
    }
    for (path, damage) in verified {
      guard let damage else {
        try await context.console.print("\(path) is intact")
        continue
      }
      await context.console.report("\(damage)")
    }
    guard verified.allSatisfy({ $0.damage == nil }) else {
      throw CommandFailure(
        "some files are damaged; run `syrinx engines install` for the same name to repair them")
    }
  }
}

extension [SpeechEngineDescription] {
  /// For each engine, a line for each model or for the missing component, and a line for the
  /// capabilities; `*` marks the default engine.
  var tableLines: [String] {
    let width = map(\.name.count).max() ?? 0
    return flatMap { engine in
      let name = "\(engine.isInUse ? "*" : " ") \(engine.name.padded(to: width))"
      return engine.modelLines(name) + engine.capabilityLines(name)
    }
  }
}

extension SpeechEngineDescription {
  fileprivate func modelLines(_ name: String) -> [String] {
    if let missing { return ["\(name)  not ready: \(missing)".printableLine] }
    var languages: [(location: String, tags: [String])] = []
    for model in models {
      if let index = languages.firstIndex(where: { $0.location == model.location }) {
        languages[index].tags.append(model.language)
      } else {
        languages.append((model.location, [model.language]))
      }
    }
    let width = languages.map { Self.list($0.tags).count }.max() ?? 0
    return languages.map { location, tags in
      "\(name)  \(Self.list(tags).padded(to: width))  \(location)".printableLine
    }
  }

  /// Returns the languages of one model as a short text.
  private static func list(_ tags: [String]) -> String {
    guard tags != [LanguageTag.multiple] else { return "many languages" }
    guard tags.count > 4, let last = tags.last else { return tags.joined(separator: ", ") }
    return "\(tags.count) languages, \(tags.prefix(3).joined(separator: ", ")) … \(last)"
  }

  fileprivate func capabilityLines(_ name: String) -> [String] {
    let texts = orderedCapabilities.map(\.text)
    return texts.isEmpty ? [] : ["\(name)  can: \(texts.joined(separator: ", "))"]
  }

  /// The reason that the engine is not ready, and the command to fix it; nil if it is ready.
  fileprivate var missing: String? {
    obstacle.map {
      [$0, EngineName(rawValue: name)?.remedy].compactMap(\.self).joined(separator: "; ")
    }
  }

  /// The capabilities, in the same order for every engine.
  fileprivate var orderedCapabilities: [SpeechEngineCapability] {
    SpeechEngineCapability.allCases.filter(capabilities.contains)
  }
}

extension SpeechEngineCapability {
  /// The human-readable name.
  fileprivate var text: String {
    switch self {
    case .partialResults: "partial results"
    case .grammar: "grammar"
    case .keyPhrases: "key phrases"
    case .contextualPhrases: "contextual phrases"
    case .alternatives: "alternatives"
    case .confidence: "confidence"
    case .wordTimes: "word times"
    case .languageDetection: "language detection"
    case .translation: "translation into English"
    case .engineOptions: "engine options"
    }
  }
}

/// Creates the records for `syrinx engines --json`: of engines and of the voice activity detector.
extension JSONRecord {
  /// The help text about the JSON output.
  static let engineSchema = """
    With --json, each engine is an object on its own line: "engine" (the value for --engine), \
    "default", "ready", "models", each with "language" and "location", "capabilities" out of \
    \(capabilityNames), and, if it is not ready, "missing".
    """

  private static var capabilityNames: String {
    SpeechEngineCapability.allCases.map { "\"\($0.rawValue)\"" }
      .joined(separator: ", ")
  }

  init(_ engine: SpeechEngineDescription) {
    self = [
      "engine": engine.name, "default": engine.isInUse, "ready": engine.obstacle == nil,
      "models": engine.models.map { model -> JSONRecord in
        ["language": model.language, "location": model.location]
      },
      "missing": engine.missing, "capabilities": engine.orderedCapabilities.map(\.rawValue),
    ]
  }

  /// The help text about the JSON output.
  static let detectorSchema = """
    An object for the installable voice activity detector follows: "detector", "ready", and \
    "location" or "missing".
    """

  init(detector: Result<String, CommandFailure>) {
    let name = EngineComponent.silero.name
    switch detector {
    case .success(let location):
      self = ["detector": name, "ready": true, "location": location]
    case .failure(let failure):
      self = ["detector": name, "ready": false, "missing": failure.description]
    }
  }
}

extension SpeechActivityDetector {
  /// The path of the installed voice activity detector, or the reason that no command uses it.
  fileprivate var installed: Result<String, CommandFailure> {
    let installable = EngineComponent.silero.name
    let remedy = "`syrinx engines install \(installable)` installs library and model"
    guard name == installable else {
      return .failure(
        CommandFailure("not installed: \(remedy); the \(name) detector is used until then"))
    }
    return switch availability() {
    case .ready(let model): .success(model.location)
    case .unavailable(let error): .failure(CommandFailure("\(error); \(remedy)"))
    }
  }

  /// Returns the human-readable line about the voice activity detector.
  fileprivate static func line(_ installed: Result<String, CommandFailure>) -> String {
    let name = "  \(EngineComponent.silero.name) (finds speech)"
    return switch installed {
    case .success(let location): "\(name)  \(location)".printableLine
    case .failure(let failure): "\(name)  not ready: \(failure)".printableLine
    }
  }
}
