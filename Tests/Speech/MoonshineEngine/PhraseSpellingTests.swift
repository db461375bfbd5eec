import Testing

@testable import MoonshineEngine

@Suite struct PhraseSpellingTests {
  private func spelled(_ text: String, _ phrases: [String]) -> String {
    let words = text.split(separator: " ").enumerated().map { index, word in
      DecodedWord(text: String(word), confidence: 1 - 0.1 * Double(index))
    }
    return PhraseSpelling(phrases).applied(to: words).map(\.text).joined(separator: " ")
  }

  @Test func `words that differ from a phrase in case, spaces, and hyphens are spelled as it is`() {
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

  @Test func `other marks than hyphens distinguish words from a phrase`() {
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

  @Test func `an improbable phrase may correct a text, but not replace it`() {
    func isForced(_ text: String, _ confidence: Double, over plain: String) -> Bool {
      let words = { (text: String, confidence: Double) in
        text.split(separator: " ").map { DecodedWord(text: String($0), confidence: confidence) }
      }
      return words(text, confidence).areForced(over: words(plain, 0.7))
    }
    #expect(isForced("Recognize speech.", 0.024, over: "Rec in my speech."))
    #expect(!isForced("Ten of clubs.", 0.004, over: "Ten of cloves."))
  }

  @Test func `a respelled word has the lowest confidence of the words that it replaces`() {
    let words = [
      DecodedWord(text: "comfy", confidence: 0.9), DecodedWord(text: "UI", confidence: 0.4),
    ]
    #expect(
      PhraseSpelling(["ComfyUI"]).applied(to: words) == [
        DecodedWord(text: "ComfyUI", confidence: 0.4)
      ])
  }
}
