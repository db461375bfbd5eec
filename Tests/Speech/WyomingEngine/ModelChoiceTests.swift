import AudioCore
import SpeechEngine
import Testing
import Wyoming

@testable import WyomingEngine

@Suite struct ModelChoiceTests {
  private func info(_ languages: [String]...) -> WyomingInfo {
    let models = languages.enumerated().map { index, languages in
      JSONValue.object([
        "name": .string("m\(index)"), "languages": .array(languages.map(JSONValue.string)),
      ])
    }
    return WyomingInfo(["asr": [["models": .array(models)]]])
  }

  @Test(arguments: [
    ("en-US", ["de", "en"], "en"), ("en_us", ["en", "en-US"], "en-US"),
    ("en", ["fr", "en-GB"], "en-GB"),
    ("EN", ["en"], "en"), ("sr-Latn-RS", ["sr"], "sr"),
  ]) func `the requested language is sent in the server's spelling`(
    wanted: String, languages: [String], spelling: String
  ) throws {
    let choice = try ModelChoice(info(languages), model: nil, language: wanted)
    #expect(choice.language == spelling)
    #expect(choice.model == nil)
  }

  @Test func `a language with another region does not match`() {
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en-US", available: "en-GB")) {
      _ = try ModelChoice(info(["en-GB"]), model: nil, language: "en-US")
    }
  }

  @Test func `if a server lists no languages, the requested language is sent`() throws {
    let choice = try ModelChoice(info([]), model: nil, language: "en-US")
    #expect(choice.language == "en-US")
    #expect(choice.tag == nil)
  }

  @Test func `a chosen model is limited to its own languages`() throws {
    let choice = try ModelChoice(info(["en"], ["fr"]), model: "m1", language: nil)
    #expect(choice == (try ModelChoice(info(["en"], ["fr"]), model: "m1", language: nil)))
    #expect((choice.model, choice.language, choice.tag) == ("m1", nil, "fr"))
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en", available: "fr")) {
      _ = try ModelChoice(info(["en"], ["fr"]), model: "m1", language: "en")
    }
  }
}
