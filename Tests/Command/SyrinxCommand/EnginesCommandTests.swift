import AudioCore
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct EnginesCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private struct Line: Decodable {
    struct Model: Decodable {
      let language: String
      let location: String
    }
    let engine: String
    let `default`: Bool
    let ready: Bool
    let models: [Model]
    let missing: String?
    let capabilities: [String]
  }

  /// Returns an environment in which engines find only the paths in `more`.
  private func environment(_ more: [String: String] = [:]) -> [String: String] {
    [
      "SYRINX_VOSK_LIBRARY": "/nowhere/libvosk.so", "SYRINX_VOSK_MODEL": "/nowhere/model",
      "SYRINX_POCKETSPHINX_MODEL": "/nowhere/sphinx",
    ].merging(more) { $1 }
  }

  private func engines(_ run: BuiltCommand.Outcome) throws -> [String: Line] {
    let lines = try run.outputLines.filter { $0.contains(#""engine":"#) }.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    return Dictionary(uniqueKeysWithValues: lines.map { ($0.engine, $0) })
  }

  @Test
  func `'engines' lists installed models and succeeds if one engine is ready`() async throws {
    let vosk = try FakeVoskFolder(in: folder)
    let run = try await BuiltCommand.run(
      "engines", "--json", in: folder, environment: environment(vosk.environment))
    #expect(run.status == 0, "\(run.error)")
    let engines = try engines(run)
    let found = try #require(engines["vosk"])
    #expect(found.ready && !found.default && found.missing == nil)
    #expect(found.models.map(\.language) == ["en-US"])
    #expect(found.models.map(\.location) == [vosk.model.path])
    let sphinx = try #require(engines["pocketsphinx"])
    #expect(sphinx.default && !sphinx.ready && sphinx.models.isEmpty)
    let missing = try #require(sphinx.missing)
    #expect(missing.contains("/nowhere/sphinx: the folder does not exist"))
  }

  @Test
  func `without a ready engine the status is 1, and each line has a remedy`() async throws {
    let run = try await BuiltCommand.run("engines", in: folder, environment: environment())
    #expect(run.status == 1)
    #expect(run.errorLines == ["syrinx: no engine is ready"])
    let lines = run.outputLines
    #expect(lines.contains { $0.hasPrefix("* pocketsphinx  not ready: ") })
    let vosk = try #require(lines.first { $0.contains("vosk  ") })
    #expect(
      vosk.contains("/nowhere/libvosk.so")
        && vosk.contains("pip install --break-system-packages vosk"))
  }

  @Test
  func `for an engine with a library but no model, the missing folder is reported`() async throws {
    let vosk = try FakeVoskFolder(in: folder)
    let run = try await BuiltCommand.run(
      "engines", in: folder,
      environment: environment(["SYRINX_VOSK_LIBRARY": vosk.library.path]))
    #expect(run.output.contains("/nowhere/model: the folder does not exist"))
  }

  @Test
  func `PocketSphinx uses its installed model by default, and the folder of --model otherwise`()
    async throws
  {
    let plain = try engines(await BuiltCommand.run("engines", "--json", in: folder))
    let sphinx = try #require(plain["pocketsphinx"])
    #expect(sphinx.ready && sphinx.default && sphinx.models.map(\.language) == ["en-US"])
    let location = try #require(sphinx.models.first?.location)
    let named = try await BuiltCommand.run(
      "engines", "--json", "--model", location, in: folder, environment: environment())
    let engines = try engines(named)
    #expect(engines["pocketsphinx"]?.models.map(\.location) == [location])
    #expect(engines["pocketsphinx"]?.default == true)
    #expect(engines["vosk"]?.ready == false)
  }

  @Test
  func `the languages of a Wyoming server are listed, or a remedy if it cannot be reached`()
    async throws
  {
    let run = try await BuiltCommand.shell(
      "syrinx engines --json --server 'stdio:syrinx serve --wyoming stdio'", in: folder)
    let wyoming = try #require(try engines(run)["wyoming"])
    #expect(wyoming.ready && !wyoming.default, "\(run.output)")
    #expect(wyoming.models.map(\.language) == ["en-US"])
    let gone = try await BuiltCommand.run(
      "engines", "--server", "unix:///nowhere/s", in: folder)
    let line = try #require(gone.outputLines.first { $0.hasPrefix("  wyoming ") })
    #expect(line.contains("not ready: "))
    #expect(line.contains("unix:///nowhere/s cannot be reached"))
    #expect(line.contains("start a server there") && line.contains("--server"))
    #expect(gone.status == 0)
  }

  @Test
  func `for missing Moonshine and Silero, the command to install them is printed`() async throws {
    let run = try await BuiltCommand.run("engines", "--json", in: folder)
    let moonshine = try #require(try engines(run)["moonshine"])
    #expect(!moonshine.ready && !moonshine.default)
    #expect(moonshine.missing?.contains("`syrinx engines install moonshine`") == true)
    let text = try await BuiltCommand.run("engines", in: folder)
    let silero = try #require(text.outputLines.last)
    #expect(silero.hasPrefix("  silero (finds speech)  not ready: "))
    #expect(silero.contains("`syrinx engines install silero`"))
    #expect(
      run.outputLines.last?.hasPrefix(#"{"detector":"silero","missing":"not installed"#) == true)
  }

  @Test
  func `a selected but missing detector is reported, and no other detector is used`() async throws {
    let run = try await BuiltCommand.run(
      "engines", in: folder, environment: ["SYRINX_SILERO_MODEL": "/nowhere/silero.onnx"])
    let silero = try #require(run.outputLines.last)
    #expect(silero.hasPrefix("  silero (finds speech)  not ready: "))
    #expect(silero.contains(" /nowhere") && !silero.contains("energy"), "\(silero)")
  }

  @Test(arguments: [
    ["--server", "nowhere"], ["--server", "stdio"], ["--model", ""], ["--to", "here"],
  ])
  func `an invalid server, model, or folder is a usage error`(arguments: [String])
    async throws
  {
    let run = try await BuiltCommand.run("engines", arguments[0], arguments[1], in: folder)
    #expect(run.status == 64)
  }

  @Test(arguments: ["transcribe", "listen", "serve", "engines"])
  func `the manual of each recognizing command contains the requirements of each engine`(
    command: String
  )
    async throws
  {
    let run = try await BuiltCommand.run(command, "--experimental-dump-help", in: folder)
    for need in ["pocketsphinx-en-us", "SYRINX_VOSK_LIBRARY", "--server", "--model"] {
      #expect(run.output.contains(need))
    }
  }

  @Test
  func `each model has a line, with aligned columns`() {
    let lines = [
      SpeechEngineDescription(
        name: "one",
        models: [.init(language: "en-US", location: "/a"), .init(language: "de", location: "/b")],
        isInUse: true),
      SpeechEngineDescription(name: "three", models: [], obstacle: "gone"),
    ].tableLines
    #expect(lines == ["* one    en-US  /a", "* one    de     /b", "  three  not ready: gone"])
  }

  @Test
  func `the languages of one model are a single line, shortened from five languages on`() {
    func line(_ tags: String...) -> String? {
      let models = tags.map { SpeechModel(language: $0, location: "/m") }
      return [SpeechEngineDescription(name: "one", models: models)].tableLines.first
    }
    #expect(line("de", "en", "es", "fr") == "  one  de, en, es, fr  /m")
    #expect(line("de", "en", "es", "fr", "zh") == "  one  5 languages, de, en, es … zh  /m")
  }

  @Test
  func `an engine's capabilities are listed below its models or the missing component`() {
    let lines = [
      SpeechEngineDescription(
        name: "one", models: [.init(language: "de", location: "/b")], isInUse: true,
        capabilities: [.contextualPhrases, .grammar]),
      SpeechEngineDescription(
        name: "two", models: [], obstacle: "gone", capabilities: [.confidence]),
    ].tableLines
    #expect(
      lines == [
        "* one  de  /b", "* one  can: grammar, contextual phrases",
        "  two  not ready: gone", "  two  can: confidence",
      ])
  }

  @Test
  func `JSON lists the capabilities of each engine, ready or not`()
    async throws
  {
    let run = try await BuiltCommand.run(
      "engines", "--json", in: folder, environment: environment())
    let engines = try engines(run).mapValues(\.capabilities)
    let languages: Set<SpeechEngineCapability> = [.languageDetection, .translation]
    #expect(
      engines["pocketsphinx"]
        == SpeechEngineCapability.allCases.filter { !languages.contains($0) }.map(\.rawValue))
    #expect(
      engines["vosk"] == [
        "partialResults", "grammar", "keyPhrases", "alternatives", "confidence", "wordTimes",
      ])
    #expect(engines["wyoming"] == ["partialResults", "contextualPhrases", "engineOptions"])
  }
}
