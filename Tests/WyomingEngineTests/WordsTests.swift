import AudioCore
import SpeechEngine
import Testing
import Wyoming

@testable import WyomingEngine

@Suite struct WordsTests {
  private func voice(_ pieces: [(Float, Int)]) -> Range<FrameCount> {
    var span = VoicedSpan()
    for (level, count) in pieces { span.hear([Float](repeating: level, count: count)) }
    return span.frames
  }

  @Test func `the voice is from the first loud step to the last`() {
    #expect(
      voice([(0.001, 1600), (0.5, 320), (0.001, 160), (0.4, 320), (0.001, 1600)]) == 1600..<2400)
    #expect(voice([(0, 50), (0.5, 50), (0, 60), (0, 100)]) == 0..<160)
    #expect(voice([(0, 1000)]) == 0..<1000)
    #expect(voice([]) == 0..<0)
  }

  @Test func `words lie one after the other over the voice, each as long as its letters`() {
    let words = WordSpread.words(["go", "forward", "ten"], over: 1000..<16_000)
    #expect(words.map(\.frames) == [1000..<4000, 4000..<12_000, 12_000..<16_000])
    #expect(words.allSatisfy { $0.confidence == nil })
    #expect(WordSpread.words([], over: 0..<10).isEmpty)
    #expect(WordSpread.words(["a", "b"], over: 5..<5).map(\.frames) == [5..<5, 5..<5])
  }

  @Test func `no word is longer than a second`() {
    let words = WordSpread.words(["yes", "no"], over: 0..<160_000)
    #expect(words.allSatisfy { $0.frames.upperBound - $0.frames.lowerBound <= 16_000 })
  }
}

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
  ]) func `the server's spelling of a language is found`(
    wanted: String, languages: [String], spelling: String
  ) throws {
    let choice = try ModelChoice(info(languages), model: nil, language: wanted)
    #expect(choice.language == spelling)
    #expect(choice.model == nil)
  }

  @Test func `one region does not stand for another`() {
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en-US", available: "en-GB")) {
      _ = try ModelChoice(info(["en-GB"]), model: nil, language: "en-US")
    }
  }

  @Test func `a server that names no languages is told the one that is wanted`() throws {
    let choice = try ModelChoice(info([]), model: nil, language: "en-US")
    #expect(choice.language == "en-US")
    #expect(choice.tag == nil)
  }

  @Test func `a model that is chosen has its own languages`() throws {
    let choice = try ModelChoice(info(["en"], ["fr"]), model: "m1", language: nil)
    #expect(choice == (try ModelChoice(info(["en"], ["fr"]), model: "m1", language: nil)))
    #expect((choice.model, choice.language, choice.tag) == ("m1", nil, "fr"))
    #expect(throws: SpeechEngineError.languageMissing(wanted: "en", available: "fr")) {
      _ = try ModelChoice(info(["en"], ["fr"]), model: "m1", language: "en")
    }
  }
}
