import ArgumentParser
import ClientDependencies
import FilePaths
import SpeechEngine
import Wyoming

/// Which engine recognises speech: the options of the commands that do.
struct EngineOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      The engine: \(EngineName.allCases.map(\.rawValue).joined(separator: ", ")) (default: moonshine \
      if installed, else pocketsphinx).
      """, valueName: "name"))
  var engine: EngineName?

  @Option(help: ArgumentHelp("The engine's model.", valueName: "folder"))
  var model: FilePath?

  @Option(
    help: ArgumentHelp(
      "The server of --engine wyoming; tcp://127.0.0.1:10300 without it.", valueName: "address"))
  var server: String?

  func validate() throws {
    if let server {
      guard engine == .wyoming else {
        throw ValidationError("--server goes with --engine wyoming.")
      }
      try Self.check(server: server)
    }
    if let engine, model != nil, !engine.takesModel {
      throw ValidationError("--model goes with an engine that has its model here, not \(engine).")
    }
  }

  /// Puts the engine in place of that of `\.speechEngine`.
  func apply(to values: inout DependencyValues, language: String?) throws {
    var settings = EngineSettings(model: model, server: server)
    settings.language = language
    guard let engine else {
      if let usual = values.engineMakers.usual { values.speechEngine = usual.make(settings) }
      return
    }
    guard let maker = values.engineMakers.named.first(where: { $0.name == engine.rawValue }) else {
      throw CommandFailure(description: "this program was built without the engine \(engine)")
    }
    values.speechEngine = maker.make(settings)
  }

  /// Refuses what is no address of a server.
  static func check(server: String) throws {
    switch WyomingAddress(server) {
    case nil:
      throw ValidationError(
        """
        --server \(server) is no address; give tcp://host:port, unix:///path or "stdio:command".
        """)
    case .stdio(command: nil):
      throw ValidationError("--server stdio needs a command to start: \"stdio:command\".")
    default: return
    }
  }
}

extension EngineSettings {
  /// What the options `--model` and `--server` say, which have been checked.
  init(model: FilePath?, server: String?) {
    self.init()
    modelDirectory = model?.url
    self.server = server.flatMap(WyomingAddress.init)
  }
}
