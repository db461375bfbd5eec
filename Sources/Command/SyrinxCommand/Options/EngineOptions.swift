import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import ONNXRuntime
import SpeechClient
import SpeechEngine
import Wyoming

/// A subcommand that recognizes speech with the engine that its options select.
protocol RecognizingSubcommand: Subcommand {
  var engine: EngineOptions { get }
  var recognition: SpeechOptions { get }
}

extension RecognizingSubcommand {
  func prepare(_ values: inout DependencyValues) throws {
    try engine.apply(to: &values, language: recognition.language)
  }

  /// Loads the model or contacts the server.
  ///
  /// First, it writes a notice if a better engine is installed in another folder.
  ///
  /// - Parameters:
  ///   - speech: the client to prepare.
  ///   - notify: writes the notice.
  /// - Throws: `SpeechClientError.unavailable` if no model works.
  func makeReady(
    _ speech: SpeechClient, notify: (_ notice: String) async -> Void
  ) async throws(SpeechClientError) {
    if let engineNotice { await notify(engineNotice) }
    try await speech.makeReady(for: recognition)
  }

  /// A notice that another folder contains a better engine than the default one, and how to use it.
  ///
  /// It is nil if there is no such engine, if the user chose an engine or a model, or if the
  /// options request key phrases, which only the default engine finds.
  private var engineNotice: String? {
    @Dependency(\.settings) var settings
    let isUsersChoice =
      (engine.engine ?? settings.engine) != nil || (engine.model ?? settings.model) != nil
    guard !isUsersChoice, recognition.keyPhrases.isEmpty,
      recognition.chosenEngine.name == EngineName.pocketsphinx.rawValue,
      let root = InstalledFolder.otherRoot(having: EngineName.moonshine.rawValue)
    else { return nil }
    return """
      using pocketsphinx: moonshine, which makes fewer errors, is not installed for this user. To use \
      the one in \(root), set XDG_DATA_HOME=\(root.folder)
      """
  }
}

/// The options that select an engine.
struct EngineOptions: ParsableArguments {
  @Option(
    help: .value(
      "name",
      """
      Engine: \(EngineName.allCases.map(\.rawValue).joined(separator: ", ")) (default: the \
      first of moonshine, whisper, and pocketsphinx that is installed for the language).
      """))
  var engine: EngineName?

  @Option(
    help: .value("path", "Model of the engine: a folder, or a file of whisper.cpp."),
    completion: .file())
  var model: FilePath?

  @Option(
    help: .value("address", "Server of --engine wyoming (default: tcp://127.0.0.1:10300)."))
  var server: String?

  func validate() throws {
    @Dependency(\.settings) var settings
    let engine = engine ?? settings.engine
    if let server {
      try require(engine == .wyoming, "--server requires --engine wyoming.")
      try Self.check(server: server)
    }
    if let engine, model != nil, !engine.takesModel {
      throw ValidationError("--model requires an engine with a local model, not \(engine).")
    }
  }

  /// Replaces `\.speechEngine` with the selected engine.
  func apply(to values: inout DependencyValues, language: String?) throws {
    let own = values.settings
    let engine = engine ?? own.engine
    var settings = EngineSettings(model: model, server: server)
      .completed(by: own, withModel: engine == own.engine)
    settings.language = language
    guard let engine else {
      if let maker = values.engineMakers.defaultEngine {
        values.speechEngine = maker.make(settings)
      }
      return
    }
    guard let maker = values.engineMakers.named.first(where: { $0.name == engine.rawValue }) else {
      throw CommandFailure("this program was built without the engine \(engine)")
    }
    // A named engine would look for a model of the language `auto`.
    if language == SpokenLanguage.detected { settings.language = nil }
    values.speechEngine = maker.make(settings)
  }

  /// Throws if the text is not a server address.
  static func check(server: String) throws {
    guard let obstacle = obstacle(toServer: server) else { return }
    throw ValidationError("--server \(server) \(obstacle).")
  }

  /// Returns the reason that the text is not a server address, or nil.
  static func obstacle(toServer server: String) -> String? {
    switch WyomingAddress(server) {
    case nil: "is not an address; use tcp://host:port, unix:///path, or \"stdio:command\""
    case .stdio(command: nil): "needs a command to start: \"stdio:command\""
    default: nil
    }
  }
}

extension EngineSettings {
  /// Creates settings from the values of `--model` and `--server`, which must be valid.
  init(model: FilePath?, server: String?) {
    self.init()
    modelDirectory = model?.url
    self.server = server.flatMap(WyomingAddress.init)
  }

  /// Returns these settings, completed with the user's defaults.
  ///
  /// - Parameters:
  ///   - own: the user's defaults.
  ///   - withModel: whether the default model applies; false if it belongs to another engine.
  func completed(by own: Settings, withModel: Bool) -> EngineSettings {
    var settings = self
    settings.server = server ?? own.server.flatMap(WyomingAddress.init)
    if withModel { settings.modelDirectory = modelDirectory ?? own.model?.url }
    return settings
  }
}

/// The engines that `--engine` accepts, in the order of the help.
///
/// A new engine needs a case here and a maker in the executable.
enum EngineName: String, CaseIterable, ExpressibleByArgument {
  case moonshine, pocketsphinx, vosk, whisper, wyoming

  /// The engine's requirements, as a sentence of the help.
  var needs: String {
    switch self {
    case .moonshine:
      """
      moonshine (dictation with punctuation and case) needs `syrinx engines install moonshine`, or \
      a model named by --model or SYRINX_MOONSHINE_MODEL and the ONNX Runtime library named by \
      SYRINX_ONNXRUNTIME_LIBRARY. It does not support key phrases.
      """
    case .pocketsphinx:
      """
      pocketsphinx (commands, key phrases, clear speech; no download) needs the Debian package \
      pocketsphinx-en-us, or a model named by --model or SYRINX_POCKETSPHINX_MODEL.
      """
    case .vosk:
      """
      vosk (dictation in many languages) needs libvosk.so, from `pip install --break-system-packages vosk` or named by \
      SYRINX_VOSK_LIBRARY, and a model from https://alphacephei.com/vosk/models, unpacked in \
      ~/.cache/vosk or /usr/share/vosk or named by --model or SYRINX_VOSK_MODEL.
      """
    case .whisper:
      """
      whisper (dictation in 99 languages, and translation into English) needs `syrinx engines \
      install whisper`, or a model file of whisper.cpp named by --model or SYRINX_WHISPER_MODEL and \
      libwhisper 1.8 named by SYRINX_WHISPER_LIBRARY. It does not support grammars and key phrases.
      """
    case .wyoming:
      """
      wyoming (a server on this or another machine, or in a child process) needs a server of the \
      Wyoming protocol, such as Home Assistant's Whisper server: --server tcp://HOST:PORT, \
      unix:///PATH, or "stdio:COMMAND" (default: tcp://127.0.0.1:10300). It does not support \
      grammars.
      """
    }
  }

  /// Advice for an engine that is not ready.
  var remedy: String? {
    switch self {
    case .moonshine: "`syrinx engines install moonshine` installs library and model"
    case .whisper: "`syrinx engines install whisper` installs library and model"
    case .wyoming: "--server names another server"
    case .pocketsphinx, .vosk: nil
    }
  }

  /// Whether the engine has a local model, which `--model` selects.
  var takesModel: Bool {
    switch self {
    case .moonshine, .pocketsphinx, .vosk, .whisper: true
    case .wyoming: false
    }
  }

  /// The help on all engines.
  static let help = """
    Engines (`syrinx engines` lists what is installed):
    \(allCases.map(\.needs).joined(separator: "\n"))
    """
}
