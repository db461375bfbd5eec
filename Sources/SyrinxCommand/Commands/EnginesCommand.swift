import ArgumentParser
import ClientDependencies
import FilePaths
import SpeechClient
import SpeechEngine

/// `syrinx engines`: what there is to recognise speech with.
struct EnginesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "engines",
    abstract: "Lists the engines that recognise speech, their models, and what they lack.",
    discussion: """
      A line for each model: the engine, the language (und where nothing tells it) and where it lies; \
      the engine that is used where none is named is marked with *. An engine that is not ready has \
      a line that says which package or path would help. Nothing is loaded but libraries, and nothing \
      is fetched. A server of the Wyoming protocol is asked which models it has.

      Under them a line says what the engine can do beside dictation; some of it may need a certain \
      model, and a command says so then. --context is a hint, which an engine without contextual \
      phrases leaves aside; anything else that an engine cannot do is an error where it is asked for.

      The exit status is 0 when at least one engine can be used.

      \(EngineRecord.schema)

      \(EngineName.help)
      """)

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

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try server.map(EngineOptions.check(server:))
  }

  func prepare(_ values: inout DependencyValues) throws {
    guard model != nil || server != nil else { return }
    let settings = EngineSettings(model: model, server: server)
    let engines = values.engineMakers.map { $0.make(settings) }
    values.speechEngines = engines
    let usual = values.speechEngine.name
    if let usual = engines.first(where: { $0.name == usual }) { values.speechEngine = usual }
  }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.speechClient) var speech
    let engines = await speech.engines()
    let lines =
      json
      ? try engines.map { try EngineRecord($0).jsonLine() } : EngineTable(engines: engines).lines
    for line in lines { try await context.console.print(line) }
    guard engines.contains(where: { $0.obstacle == nil }) else {
      throw CommandFailure(description: "no engine can be used")
    }
  }
}
