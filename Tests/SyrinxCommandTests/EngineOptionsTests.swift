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

  @Test func `without --engine the default engine is used, or else the live one`() throws {
    #expect(try chosen().name == "default - -")
    #expect(try chosen("--model", "/m", language: "de").name == "default /m de")
    #expect(try chosen(hasDefault: false).name == "live")
  }

  @Test func `name, model, and language reach the engine's maker`() throws {
    #expect(try chosen("--engine", "vosk").name == "vosk - -")
    #expect(
      try chosen("--engine", "vosk", "--model", "/m", language: "de").name == "vosk /m de")
    #expect(try chosen("--engine", "pocketsphinx").name == "pocketsphinx - -")
  }

  @Test(arguments: [["--engine", "parrot"], ["--model", ""]])
  func `an unknown engine and an empty model are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try EngineOptions.parse(arguments) }
  }

  @Test func `each engine has a maker in the executable and a paragraph in the help`() async throws
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
