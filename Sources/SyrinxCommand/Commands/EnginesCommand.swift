import ArgumentParser
import ClientDependencies
import FilePaths
import ONNXRuntime
import SpeechClient
import SpeechEngine

/// `syrinx engines`: what there is to recognise speech with.
struct EnginesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "List the speech recognition engines, their models, and what is missing.",
    discussion: """
      A line for each model: the engine, the language (und where nothing tells it) and where it lies; \
      the engine that is used where none is named is marked with *. An engine that is not ready has \
      a line that says which package or path would help. Nothing is loaded but libraries, and nothing \
      is fetched. A server of the Wyoming protocol is asked which models it has.

      Under them a line says what the engine can do beside dictation; some of it may need a certain \
      model, and a command says so then. --context is a hint, which an engine without contextual \
      phrases leaves aside; anything else that an engine cannot do is an error where it is asked for.

      The exit status is 0 when at least one engine can be used; with --verify, when something is \
      installed and nothing of it has changed.

      \(EngineRecord.schema) \(DetectorRecord.schema)

      \(EngineName.help)
      """,
    subcommands: [InstallCommand.self, RemoveCommand.self])

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @Option(
    help: ArgumentHelp(
      "Say which engines can use the model in this folder.", valueName: "folder"))
  var model: FilePath?

  @Option(
    help: ArgumentHelp(
      "Ask this server of the Wyoming protocol; tcp://127.0.0.1:10300 without it.",
      valueName: "address"))
  var server: String?

  @Flag(help: "Check every installed file against its recorded SHA-256.")
  var verify = false

  @OptionGroup var destination: InstallFolderOption

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try server.map(EngineOptions.check(server:))
  }

  func prepare(_ values: inout DependencyValues) throws {
    let settings = EngineSettings(model: model, server: server)
    values.speechEngines = values.engineMakers.named.map { $0.make(settings) }
    if let usual = values.engineMakers.usual { values.speechEngine = usual.make(settings) }
  }

  func perform(in context: CommandContext) async throws {
    if verify { return try await verifyFiles(in: context) }
    // `validate` is called for a subcommand as well, which has an option of this name.
    guard destination.chosen == nil else {
      throw ValidationError("--to goes with --verify, or with `engines install` and `remove`.")
    }
    @Dependency(\.speechClient) var speech
    let engines = await speech.engines()
    @Dependency(\.speechActivityDetector) var inUse
    let detector = DetectorRecord(inUse: inUse)
    let lines =
      json
      ? try engines.map { try EngineRecord($0).jsonLine() } + [detector.jsonLine()]
      : EngineTable(engines: engines).lines + [detector.line]
    for line in lines { try await context.console.print(line) }
    guard engines.contains(where: { $0.obstacle == nil }) else {
      throw CommandFailure(description: "no engine can be used")
    }
  }

  private func verifyFiles(in context: CommandContext) async throws {
    let folder = try destination.folder
    let verified = try await EngineInstaller(folder: folder, console: context.console).verify()
    guard !verified.isEmpty else {
      throw CommandFailure(
        description: "nothing is installed in \(folder); run `syrinx engines install all`")
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
        description: """
          some files are damaged; run `syrinx engines install` for the same name to repair them
          """)
    }
  }
}
