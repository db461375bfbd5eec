import AudioCore
import FilePaths
import Foundation
import SpeechEngine
import SyrinxTestSupport
import TestTools
import Testing

@testable import MoonshineEngine

/// Tests the choice of an engine by language, with a stub in the place of Whisper.
@Suite(.timeLimit(.minutes(5))) struct BestEngineTests {
  private func whisper(_ languages: String...) -> SpeechEngine {
    var engine = SpeechEngine()
    engine.name = "whisper"
    engine.capabilities = [.partialResults, .languageDetection, .translation]
    engine.models = { languages.map { SpeechModel(language: $0, location: "/w") } }
    engine.availability = {
      languages.isEmpty
        ? .unavailable(.modelNotInstalled(searched: [], remedy: "install it"))
        : .ready(SpeechModel(language: "und", location: "/w"))
    }
    return engine
  }

  private func best(
    _ whisper: SpeechEngine, moonshine: URL = URL(filePath: "/nowhere"), language: String? = nil
  ) -> SpeechEngine {
    SpeechEngine.best(modelDirectory: moonshine, language: language, whisper: whisper)
  }

  /// Returns the name of the engine for a request.
  private func name(
    _ best: SpeechEngine, _ language: String?, translates: Bool = false, phrase: String? = nil,
    hasGrammar: Bool = false
  ) -> String? {
    var options = SpeechSessionOptions(language: language)
    (options.translates, options.hasGrammar) = (translates, hasGrammar)
    options.keyPhrases = phrase.map { [KeyPhrase($0)] } ?? []
    return best.choose(options)?.name
  }

  @Test func `without Moonshine, Whisper recognizes every language that its model supports`() {
    let best = best(whisper("en", "es"))
    #expect(best.capabilities.isSuperset(of: [.keyPhrases, .languageDetection, .translation]))
    for language in ["es", "es-MX", "en", nil] { #expect(name(best, language) == "whisper") }
    #expect(name(best, "es", phrase: "hola") == "pocketsphinx")
    #expect(best.availability().model?.location == "/w")
  }

  @Test func `without an engine for the language, Whisper's error names the installation`() {
    let best = best(whisper())
    for language in ["es", "tlh"] { #expect(name(best, language) == "whisper") }
    for language in [nil, "en", "en-US"] { #expect(name(best, language) == "pocketsphinx") }
    let foreign = self.best(whisper(), language: "es")
    #expect(
      foreign.availability()
        == .unavailable(.modelNotInstalled(searched: [], remedy: "install it")))
  }

  @Test func `a language that no model supports belongs to Whisper, which reports it`() {
    let best = best(whisper("en", "es", "nb"))
    for language in ["nb", "nb-NO", "eo"] { #expect(name(best, language) == "whisper") }
  }

  @Test func `PocketSphinx gets a request with a grammar or other features that Whisper lacks`()
    throws
  {
    var phrases = SpeechSessionOptions()
    phrases.keyPhrases = [KeyPhrase("go")]
    let model = try #require(SpeechEngine.best.choose(phrases)?.models().first)
    let best = best(whisper("en", "es"), moonshine: URL(filePath: model.location))
    #expect(name(best, "en") == "whisper")
    #expect(name(best, "en", hasGrammar: true) == "pocketsphinx")
    #expect(name(best, "es", hasGrammar: true) == "whisper")
    var options = SpeechSessionOptions(language: "en")
    options.alternativeCount = 2
    #expect(best.choose(options)?.name == "pocketsphinx")
  }

  @Test(arguments: [nil, "es"])
  func `detection and translation belong to Whisper even if it is not installed`(
    language: String?
  ) {
    let best = best(whisper(), language: SpokenLanguage.detected)
    #expect(name(best, language, translates: true) == "whisper")
    #expect(name(best, nil) == "whisper" && name(best, SpokenLanguage.detected) == "whisper")
    #expect(
      best.availability()
        == .unavailable(.modelNotInstalled(searched: [], remedy: "install it")))
  }

  @Test(.installedEngines)
  func `Moonshine recognizes the languages of its models, and Whisper all others`() throws {
    let folder = try TestFolder()
    let english = folder.file("moonshine-base-en")
    try FileManager.default.createSymbolicLink(
      at: english, withDestinationURL: RealModel.folder.url)
    let best = best(whisper("en", "es"), moonshine: english)
    #expect(best.name == "moonshine")
    for (language, engine) in [
      (nil, "moonshine"), ("en", "moonshine"), ("en-US", "moonshine"), ("es", "whisper"),
      ("tlh", "moonshine"), (SpokenLanguage.detected, "whisper"),
    ] { #expect(name(best, language) == engine) }
    #expect(name(best, "en", translates: true) == "whisper")
    #expect(name(best, "es", phrase: "hola") == "pocketsphinx")
    #expect(best.models().map(\.location).contains("/w"))
  }
}
