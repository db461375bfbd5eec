import ArgumentParser
import ClientDependencies
import Foundation
import SpeechEngine
import TestTools
import Testing

@testable import SyrinxCommand

@Suite struct EngineOptionsTests {
  private func chosen(
    _ arguments: String..., language: String? = nil, hasDefault: Bool = true
  ) throws -> SpeechEngine {
    let options = try EngineOptions.parse(arguments)
    return try withDependencies {
      $0.speechEngine.name = "live"
      $0.engineMakers.named = EngineName.allCases.map { maker($0.rawValue) }
      if hasDefault { $0.engineMakers.defaultEngine = maker("default") }
      try options.apply(to: &$0, language: language)
    } operation: {
      @Dependency(\.speechEngine) var engine
      return engine
    }
  }

  private func maker(_ name: String) -> EngineMaker {
    EngineMaker(name) { settings in
      var engine = SpeechEngine()
      let model = settings.modelDirectory?.path ?? "-"
      engine.name = "\(name) \(model) \(settings.language ?? "-")"
      return engine
    }
  }

  @Test
  func `without --engine, the default engine is used, or else the dependency's live value`()
    throws
  {
    #expect(try chosen().name == "default - -")
    #expect(try chosen("--model", "/m", language: "de").name == "default /m de")
    #expect(try chosen(hasDefault: false).name == "live")
  }

  @Test func `the selected engine gets the values of --engine, --model, and --locale`() throws {
    #expect(try chosen("--engine", "vosk").name == "vosk - -")
    #expect(
      try chosen("--engine", "vosk", "--model", "/m", language: "de").name == "vosk /m de")
    #expect(try chosen("--engine", "pocketsphinx").name == "pocketsphinx - -")
    #expect(try chosen("--engine", "vosk", language: "auto").name == "vosk - -")
    #expect(try chosen(language: "auto").name == "default - auto")
  }

  @Test(arguments: [["--engine", "parrot"], ["--model", ""]])
  func `an unknown engine and an empty model are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try EngineOptions.parse(arguments) }
  }

  @Test(arguments: [
    ("transcribe go.wav", true), ("listen --device virtual:go.wav", true),
    ("transcribe go.wav --engine pocketsphinx", false), ("transcribe go.wav --quiet", false),
    ("transcribe go.wav --key-phrase 'go forward'", false),
  ])
  func `a notice explains how to use a better engine from another folder`(
    arguments: String, isNoticed: Bool
  ) async throws {
    let folder = try TestFolder()
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      """
      mkdir -p share/syrinx/moonshine-base-en
      XDG_DATA_DIRS=/nowhere:$PWD/share syrinx \(arguments)
      """, in: folder)
    #expect(run.status == 0 && run.output.hasPrefix("go forward"))
    #expect(run.errorLines.count == (isNoticed ? 1 : 0), "\(run.error)")
    let reason = "moonshine, which makes fewer errors, is not installed for this user. "
    #expect(run.error.contains(reason) == isNoticed)
    let share = folder.file("share").path
    let advice = "To use the one in \(share)/syrinx, set XDG_DATA_HOME=\(share)"
    #expect(run.error.contains(advice) == isNoticed)
  }

  @Test func `each engine name is known to the executable and explained in the help`() async throws
  {
    let folder = try TestFolder()
    let engines = try await BuiltCommand.run("engines", "--json", in: folder)
    for name in EngineName.allCases {
      #expect(engines.output.contains(#""engine":"\#(name.rawValue)""#))
      #expect(name.needs.hasPrefix(name.rawValue))
      #expect(EngineName.help.contains(name.needs))
    }
  }
}
