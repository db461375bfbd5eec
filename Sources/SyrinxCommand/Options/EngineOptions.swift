import ArgumentParser
import ClientDependencies
import FilePaths
import SpeechEngine
import Wyoming

/// A subcommand that recognises speech, with the engine that its arguments name.
protocol RecognisingSubcommand: Subcommand {
  var engine: EngineOptions { get }
  var recognition: SpeechOptions { get }
}

extension RecognisingSubcommand {
  func prepare(_ values: inout DependencyValues) throws {
    try engine.apply(to: &values, language: recognition.locale)
  }
}

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

/// The engines that `--engine` takes, in the order of the help: whoever adds one, adds a case here
/// and its maker to the executable.
enum EngineName: String, CaseIterable, ExpressibleByArgument {
  case moonshine, pocketsphinx, vosk, wyoming

  /// What it needs, for the help.
  var needs: String {
    switch self {
    case .moonshine:
      """
      moonshine (dictation, with punctuation and case) needs what `syrinx engines install \
      moonshine` installs, or a model in the folder of --model or SYRINX_MOONSHINE_MODEL and ONNX \
      Runtime's library, which SYRINX_ONNXRUNTIME_LIBRARY names; it takes no key phrases.
      """
    case .pocketsphinx:
      """
      pocketsphinx (commands, keywords, clear speech; no download) needs Debian's package \
      pocketsphinx-en-us, or a model in the folder of --model or SYRINX_POCKETSPHINX_MODEL.
      """
    case .vosk:
      """
      vosk (dictation, many languages) needs libvosk.so, which `pip install vosk` brings or \
      SYRINX_VOSK_LIBRARY names, and a model of https://alphacephei.com/vosk/models, unpacked in \
      ~/.cache/vosk or /usr/share/vosk, or in the folder of --model or SYRINX_VOSK_MODEL.
      """
    case .wyoming:
      """
      wyoming (a server on this or another machine, or in a process of its own) needs the address of \
      a server of the Wyoming protocol, as Whisper has one for Home Assistant: --server \
      tcp://HOST:PORT, unix:///PATH or "stdio:COMMAND", without it tcp://127.0.0.1:10300. It takes \
      no grammar.
      """
    }
  }

  /// Whether `--model` names its model.
  var takesModel: Bool {
    switch self {
    case .moonshine, .pocketsphinx, .vosk: true
    case .wyoming: false
    }
  }

  /// What the help says about all of them.
  static let help = """
    Engines: \(allCases.map(\.needs).joined(separator: " ")) `syrinx engines` tells what is installed.
    """
}
