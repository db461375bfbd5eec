import ArgumentParser
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

      Each model has a line with engine, language (und if unknown), and location. An asterisk marks \
      the default engine. If an engine is not ready, its line names the missing package or path. The \
      command loads libraries but no models, and downloads nothing. It asks a Wyoming server for its \
      models.

      A second line lists what the engine can do besides dictation. Some features need a certain \
      model; a command that lacks it reports that. Engines without contextual phrases ignore \
      --context, which is a hint. Any other unsupported option is an error.

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
    // `validate` also runs for the subcommands, which have an option of this name.
    try require(
      destination.chosen == nil, "--to requires --verify, or `engines install` or `engines remove`."
    )
    @Dependency(\.speechClient) var speech
    let engines = await speech.engines()
    @Dependency(\.speechActivityDetector) var inUse
    let detector = InstallableDetector(inUse: inUse)
    if json.isOn {
      for engine in engines { try await context.console.print(JSONRecord(engine).jsonLine()) }
      try await context.console.print(JSONRecord(detector).jsonLine())
    } else {
      let lines = EngineTable(engines: engines).lines + [detector.line]
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
