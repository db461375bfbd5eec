import AudioCore
import SpeechEngine
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(5))) struct VoskLimitsTests {
  private let vosk: FakeVosk

  init() throws {
    vosk = try FakeVosk()
  }

  private func refusal(_ change: (inout SpeechSessionOptions) -> Void) -> SpeechEngineError? {
    var options = SpeechSessionOptions()
    change(&options)
    do {
      _ = try vosk.engine.makeSession(options)
      return nil
    } catch {
      return error as? SpeechEngineError
    }
  }

  @Test func `any engine option is rejected`() {
    guard case .optionInvalid("beam", _) = refusal({ $0.engineOptions = ["beam": "1"] }) else {
      Issue.record("it was taken")
      return
    }
  }

  @Test func `contextual phrases are accepted`() {
    #expect(refusal { $0.contextualPhrases = ["Kaunas"] } == nil)
  }

  @Test func `the error for an unknown word names the word and its phrase`() {
    #expect(
      refusal { $0.keyPhrases = [KeyPhrase("go blorfle")] }
        == .wordUnknown("blorfle", phrase: "go blorfle"))
  }

  @Test(arguments: [0, -1, 1.5, .nan])
  func `a key phrase's threshold must be greater than 0 and at most 1`(threshold: Double) {
    guard
      case .optionInvalid = refusal({
        $0.keyPhrases = [KeyPhrase("go", threshold: threshold)]
      })
    else {
      Issue.record("\(threshold) was taken")
      return
    }
  }

  @Test func `a key phrase without words is an error`() {
    guard case .optionInvalid = refusal({ $0.keyPhrases = [KeyPhrase("  ")] }) else {
      Issue.record("it was taken")
      return
    }
  }

  @Test func `key phrases cannot be combined with alternatives or a grammar`() {
    #expect(
      refusal {
        $0.keyPhrases = [KeyPhrase("go")]
        $0.alternativeCount = 1
      } == .unsupported("alternatives for key phrases", engine: "Vosk"))
    #expect(
      refusal {
        $0.keyPhrases = [KeyPhrase("go")]
        $0.grammar = "#JSGF V1.0;\npublic <a> = go;"
      } == .unsupported("a grammar together with key phrases", engine: "Vosk"))
  }

  @Test func `key phrases are refused if the model has no word for unknown words`() throws {
    try vosk.behave("unknown [unk]")
    guard case .unsupported(let what, _) = refusal({ $0.keyPhrases = [KeyPhrase("go")] })
    else {
      Issue.record("it was taken")
      return
    }
    #expect(what.contains("[unk]"))
  }

  @Test func `the error for an unknown word of a grammar contains the word's line`() {
    #expect(
      refusal { $0.grammar = "#JSGF V1.0;\npublic <a> = go\n| blorfle;" }
        == .grammarInvalid(line: 3, reason: "the model does not have the word \"blorfle\""))
  }

  @Test func `a language other than the model's is an error`() {
    #expect(refusal { $0.language = "de" } == .languageMissing(wanted: "de", available: "en-US"))
    #expect(refusal { $0.language = "en" } == nil)
  }
}
