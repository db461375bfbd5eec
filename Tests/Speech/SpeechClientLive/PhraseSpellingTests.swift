import AudioCore
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct PhraseSpellingTests {
  private func spelled(_ text: String, _ phrases: [String]) -> String {
    let words = text.split(separator: " ").enumerated().map { index, word in
      SpeechHypothesis.Word(
        String(word), frames: FrameCount(1000 * index)..<FrameCount(1000 * index + 800),
        confidence: 1 - 0.1 * Double(index))
    }
    return PhraseSpelling(phrases).applied(to: words).map(\.text).joined(separator: " ")
  }

  @Test
  func `a phrase's spelling replaces words that differ only in case, spaces, and hyphens`() {
    #expect(spelled("Use yaml and terraform.", ["YAML", "Terraform"]) == "Use YAML and Terraform.")
    #expect(
      spelled("The comfy UI folder, please.", ["ComfyUI folder"]) == "The ComfyUI folder, please.")
    #expect(spelled("Ask \"jean luc\"!", ["Jean-Luc"]) == "Ask \"Jean-Luc\"!")
    #expect(spelled("Open GitHub now.", ["git hub"]) == "Open git hub now.")
  }

  @Test func `a phrase in lower case gets a capital at the beginning of a sentence`() {
    #expect(spelled("Ten of clubs.", ["ten of clubs"]) == "Ten of clubs.")
    #expect(spelled("Go. Ten of clubs.", ["ten of clubs"]) == "Go. Ten of clubs.")
    #expect(spelled("Iphone, please.", ["iPhone"]) == "iPhone, please.")
  }

  @Test func `the longest phrase is applied, and other words are unchanged`() {
    #expect(
      spelled("a new york times reader", ["New York", "New York Times"])
        == "a New York Times reader")
    #expect(spelled("yamls are no yam", ["YAML"]) == "yamls are no yam")
    #expect(spelled("Go on.", []) == "Go on.")
    #expect(spelled("Go on.", ["", " - "]) == "Go on.")
  }

  @Test func `words that differ from a phrase in marks other than hyphens are not respelled`() {
    #expect(spelled("I'd like this.", ["ID"]) == "I'd like this.")
    #expect(spelled("The model 3.5 is new.", ["Model 35"]) == "The model 3.5 is new.")
    #expect(spelled("I like Java. Script it.", ["JavaScript"]) == "I like Java. Script it.")
    #expect(spelled("Plan c is in c++.", ["C++"]) == "Plan c is in C++.")
    #expect(spelled("It’s don’t, not dont.", ["Don't"]) == "It’s Don't, not dont.")
  }

  @Test func `the punctuation of a phrase is kept and not doubled`() {
    #expect(spelled("Ask acme inc.", ["Acme Inc."]) == "Ask Acme Inc.")
    #expect(spelled("Go to st. louis now.", ["St. Louis"]) == "Go to St. Louis now.")
    #expect(spelled("Say yahoo!", ["Yahoo!"]) == "Say Yahoo!")
  }

  private typealias Word = SpeechHypothesis.Word

  @Test func `a respelled word has the frames and the lowest confidence of the replaced words`() {
    let words = [
      Word("comfy", frames: 1600..<4800, confidence: 0.9),
      Word("UI", frames: 6400..<8000, confidence: 0.4),
    ]
    let spelled = Word("ComfyUI", frames: 1600..<8000, confidence: 0.4)
    #expect(PhraseSpelling(["ComfyUI"]).applied(to: words) == [spelled])
    let long = ["open", "street", "map"].enumerated().map { index, text in
      Word(text, frames: FrameCount(index * 9600)..<FrameCount(index * 9600 + 8000))
    }
    let map = Word("OpenStreetMap", frames: 0..<27_200)
    #expect(PhraseSpelling(["OpenStreetMap"]).applied(to: long) == [map])
    #expect(PhraseSpelling(["Comfy ui"]).applied(to: words).map(\.frames) == words.map(\.frames))
    let divided = PhraseSpelling(["Com fy UI"]).applied(to: words)
    #expect(divided.map(\.text) == ["Com", "fy", "UI"])
    #expect(divided.first?.frames.lowerBound == 1600 && divided.last?.frames.upperBound == 8000)
  }

  @Test(arguments: [
    (["open"], 1, 0), (["open", "street"], 2, 0), (["open", "street", "map"], 2, 0),
    (["open", "street", "map"], 3, 1), (["open", "street", "view"], 2, 0),
    (["open", "street", "view"], 3, 3), (["go", "open"], 2, 1), (["open"], 0, 0),
  ])
  func `a word that may begin a phrase is not stable`(words: [String], count: Int, stable: Int) {
    let words = words.map { Word($0, frames: 0..<1600) }
    #expect(PhraseSpelling(["OpenStreetMap"]).settledCount(count, of: words) == stable)
    #expect(PhraseSpelling([]).settledCount(count, of: words) == count)
  }

  @Test
  func `if a phrase's spelling splits a word, the word is kept, even if one piece is very short`() {
    var results = UtteranceResults(spelling: PhraseSpelling(["e mail"]))
    results.begin(at: 0)
    let word = Word("email", frames: 1600..<4640, confidence: 0.25)
    let result = results.final(
      SpeechHypothesis(words: [word]), processed: 16_000,
      plausibility: Plausibility(isVoiced: true, sound: 16_000, certainty: 0.99))
    #expect(result?.bestTranscription.segments.map(\.substring) == ["e", "mail"])
    #expect(results.omitted.isEmpty)
  }

  @Test func `results and alternatives of any engine have the spelling of the phrases`() {
    var results = UtteranceResults(spelling: PhraseSpelling(["ComfyUI"]))
    results.begin(at: 0)
    var utterance = Utterance(start: 0, sound: 0)
    utterance.add([Float](repeating: 0, count: 16_000))
    utterance.endSound(after: 0, certainty: 0.99)
    let words = [Word("comfy", frames: 1600..<4800), Word("UI", frames: 6400..<8000)]
    let other = [Word("use", frames: 0..<800)] + words
    let hypothesis = SpeechHypothesis(words: words, alternatives: [other])
    let partial = results.partial(of: utterance, hypothesis)
    #expect(partial?.bestTranscription.formattedString == "ComfyUI")
    let events = results.events(of: utterance, hypothesis)
    guard case .result(let final) = events.first else {
      Issue.record("\(events) have no result")
      return
    }
    #expect(final.bestTranscription.formattedString == "ComfyUI")
    #expect(final.transcriptions.dropFirst().map(\.formattedString) == ["use ComfyUI"])
  }
}
