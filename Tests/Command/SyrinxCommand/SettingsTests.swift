import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import FoundationEssentials
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct SettingsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func settings(
    _ file: String? = nil, _ variables: [String: String] = [:]
  ) throws -> Settings {
    if let file {
      try file.write(to: folder.file("config.yaml"), atomically: true, encoding: .utf8)
    }
    return Settings(variable: { variables[$0] }, file: FilePath(folder.file("config.yaml")))
  }

  @Test func `the file's settings apply, and environment variables take precedence`() throws {
    let settings = try settings(
      """
      # The microphone on the desk.
      capture-device: "plughw:CARD=USB"
      engine: vosk
      model: /srv/models/vosk
      locale: de-DE
      jobs: 3
      """, ["SYRINX_JOBS": "2", "SYRINX_PLAYBACK_DEVICE": "virtual", "SYRINX_LOCALE": ""])
    #expect(settings.problem == nil)
    #expect(settings.captureDevice == "plughw:CARD=USB" && settings.playbackDevice == "virtual")
    #expect(settings.engine == .vosk && settings.model == "/srv/models/vosk")
    #expect(settings.locale == "de-DE" && settings.server == nil)
    #expect(settings.jobs == 2)
    #expect(settings.entries[.jobs]?.source == "SYRINX_JOBS")
    #expect(settings.entries[.engine]?.source == folder.file("config.yaml").path)
  }

  @Test(arguments: [nil, "", "# nothing yet\n"])
  func `a missing or empty configuration file has no settings`(text: String?) throws {
    let settings = try settings(text)
    #expect(settings.problem == nil && settings.entries.isEmpty)
  }

  @Test(arguments: [
    ("devise: hw:1", #"there is no setting "devise""#),
    ("jobs: 2\njobs: 3", "jobs is set twice"), ("# ours\njobs: 2\njobs: 3", "config.yaml, line 3)"),
    ("? [jobs]\n: 2", #"there is no setting """#), ("jobs: 2\n---\njobs: 3", "is not YAML"),
    ("engine:", "engine needs a value"), ("engine: [a]", "engine needs a value"),
    ("engine: parrot", "engine parrot"), ("jobs: 0", "is not a number from 1 to 256"),
    ("jobs: two", "is not a number"), ("jobs: ~", "jobs ~"), ("- jobs", "has no settings"),
    ("jobs: 'a", "is not YAML: while scanning a quoted scalar in line 1, found unexpected end"),
    ("playback-device: virtual:a.wav", "it is a microphone"), ("server: here", "is not an address"),
    ("engine: wyoming\nmodel: /m", "the engine wyoming takes no model"),
  ])
  func `the error for an invalid setting contains its source`(
    text: String, reason: String
  ) throws {
    let settings = try settings(text)
    let problem = try #require(settings.problem).description
    #expect(problem.contains(reason) && problem.contains("config.yaml"), "\(problem)")
    #expect(!problem.contains("\n") && settings.entries.isEmpty)
  }

  @Test func `the error for an invalid value of a variable contains the variable's name`() throws {
    let problem = try #require(try settings(nil, ["SYRINX_ENGINE": "parrot"]).problem)
    #expect(problem.description.hasPrefix("engine parrot (SYRINX_ENGINE) is not an engine; use "))
  }

  @Test func `a configuration that is too long, or that is a folder, is refused`() throws {
    let long = String(repeating: "#\n", count: 40_000)
    #expect(try settings(long).problem?.description.contains("65536 bytes") == true)
    let place = Settings(variable: { _ in nil }, file: FilePath(folder.url))
    #expect(place.problem?.description.contains("is not a file") == true)
  }

  @Test func `the configuration is in XDG_CONFIG_HOME, or in .config of the home folder`() {
    let home = ["HOME": "/u/ada", "XDG_CONFIG_HOME": "/etc/xdg"]
    #expect(Settings.file { home[$0] } == "/etc/xdg/syrinx/config.yaml")
    #expect(
      Settings.file { $0 == "HOME" ? "/u/ada" : "relative" }
        == "/u/ada/.config/syrinx/config.yaml")
    let registered = FilePath.registeredHome?.appending(".config/syrinx/config.yaml")
    #expect(Settings.file { _ in nil } == registered)
    #expect(Settings.file { $0 == "HOME" ? "" : nil } == registered)
  }

  private func settings(of text: String) throws -> Settings {
    let settings = try settings(text)
    try #require(settings.problem == nil)
    return settings
  }

  @Test func `settings are the defaults of omitted options`() throws {
    let own = try settings(
      of: "playback-device: virtual\ncapture-device: hw:1\nlocale: de\njobs: 7")
    try withDependencies {
      $0.settings = own
    } operation: {
      let (playback, capture) = (
        try PlayDeviceOptions.parse([]), try CaptureDeviceOption.parse([])
      )
      #expect(playback.id == "virtual" && capture.id == "hw:1")
      let named = try PlayDeviceOptions.parse(["--device", "hw:2"])
      #expect(named.id == "hw:2")
      let jobs = [try JobsOption.parse([]), try JobsOption.parse(["--jobs", "2"])]
      #expect(jobs.map(\.count) == [7, 2])
      let speech = [try SpeechOptions.parse([]), try SpeechOptions.parse(["--locale", "fr"])]
      let locales = speech.map { $0.applied(to: SpeechRequest(microphone: .speech)).locale }
      #expect(locales == ["de", "fr"])
    }
  }

  /// Makers whose engines have the settings in their names: the model folder and the server.
  private let makers = EngineName.allCases.map { name in
    EngineMaker(name.rawValue) { settings in
      var engine = SpeechEngine()
      let server = settings.server.map { "\($0)" } ?? "-"
      engine.name = "\(name) \(settings.modelDirectory?.path ?? "-") \(server)"
      return engine
    }
  }

  private func engine(_ arguments: String..., with settings: Settings) throws -> String {
    let options = try EngineOptions.parse(arguments)
    return try withDependencies {
      $0.settings = settings
      $0.engineMakers.named = makers
      try options.apply(to: &$0, language: nil)
    } operation: {
      @Dependency(\.speechEngine) var engine
      return engine.name
    }
  }

  @Test func `the model in the settings applies only to the engine in the settings`() throws {
    let own = try settings(of: "engine: vosk\nmodel: /m\nserver: tcp://10.0.0.2:10300")
    let server = "tcp://10.0.0.2:10300"
    #expect(try engine(with: own) == "vosk /m \(server)")
    #expect(try engine("--model", "/n", with: own) == "vosk /n \(server)")
    #expect(try engine("--engine", "moonshine", with: own) == "moonshine - \(server)")
    #expect(try engine("--engine", "wyoming", with: own) == "wyoming - \(server)")
  }

  @Test func `the file's model does not apply to an engine from an environment variable`()
    throws
  {
    let folder = try TestFolder()
    try Data("engine: moonshine\nmodel: /m".utf8).write(to: folder.file("config.yaml"))
    func model(_ engine: String) -> FilePath? {
      Settings(
        variable: { $0 == "SYRINX_ENGINE" ? engine : nil },
        file: FilePath(folder.file("config.yaml"))
      ).model
    }
    #expect(model("moonshine") == "/m")
    #expect(model("vosk") == nil && model("wyoming") == nil)
  }

  @Test func `an option is checked against the engine in the settings`() throws {
    try withDependencies {
      $0.settings = try settings(of: "engine: wyoming")
    } operation: {
      let options = try EngineOptions.parse(["--server", "tcp://10.0.0.3:10300"])
      #expect(options.server == "tcp://10.0.0.3:10300")
      #expect(throws: (any Error).self) { try EngineOptions.parse(["--model", "/m"]) }
    }
  }

  @Test func `all engines are examined with the model and the server in the settings`() throws {
    let own = try settings(of: "engine: vosk\nmodel: /m\nserver: tcp://10.0.0.2:10300")
    let server = "tcp://10.0.0.2:10300"
    let names = withDependencies {
      $0.settings = own
      $0.engineMakers.named = makers
      $0.useInstalledEngines()
    } operation: {
      @Dependency(\.speechEngines) var engines
      @Dependency(\.speechEngine) var inUse
      return engines.map(\.name) + [inUse.name]
    }
    #expect(
      names == [
        "moonshine - \(server)", "pocketsphinx - \(server)", "vosk /m \(server)",
        "whisper - \(server)", "wyoming - \(server)", "vosk /m \(server)",
      ])
  }
}

@Suite struct ConfigCommandTests {
  @Test func `'config' prints the effective settings and their sources`() async throws {
    let folder = try TestFolder()
    let place = folder.file("syrinx")
    _ = try await BuiltCommand.shell(
      "mkdir syrinx && echo 'engine: pocketsphinx' > syrinx/config.yaml", in: folder)
    let environment = ["XDG_CONFIG_HOME": folder.url.path, "SYRINX_JOBS": "2"]
    let text = try await BuiltCommand.run("config", in: folder, environment: environment)
    #expect(text.status == 0)
    #expect(text.outputLines.first == "SETTING          VALUE         SOURCE")
    #expect(
      text.outputLines.contains { line in
        line.hasPrefix("engine           pocketsphinx  ")
          && line.hasSuffix("\(place.path)/config.yaml")
      })
    #expect(text.outputLines.last == "jobs             2             SYRINX_JOBS")
    let json = try await BuiltCommand.run("config", "--json", in: folder, environment: environment)
    #expect(json.outputLines.count == 7)
    #expect(
      json.outputLines.last
        == #"{"setting":"jobs","source":"SYRINX_JOBS","value":"2","variable":"SYRINX_JOBS"}"#)
  }

  @Test func `an invalid setting prevents every command from starting`() async throws {
    let folder = try TestFolder()
    for command in ["config", "devices", "engines"] {
      let run = try await BuiltCommand.run(
        command, in: folder, environment: ["SYRINX_ENGINE": "parrot"])
      #expect(run.status == 1 && run.output.isEmpty)
      #expect(run.error.hasPrefix("syrinx: engine parrot (SYRINX_ENGINE) is not an engine"))
    }
    let json = try await BuiltCommand.run(
      "config", "--json", in: folder, environment: ["SYRINX_ENGINE": "parrot"])
    #expect(json.status == 1 && json.outputLines.count == 1)
    #expect(json.output.hasPrefix(#"{"error":"engine parrot (SYRINX_ENGINE)"#), "\(json.output)")
    let help = try await BuiltCommand.run(
      "help", in: folder, environment: ["SYRINX_ENGINE": "parrot"])
    #expect(help.status == 0)
  }
}
