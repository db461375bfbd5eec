import SpeechEngine
import Testing

@testable import VoskEngine

@Suite(.timeLimit(.minutes(2))) struct VoskLimitsTests {
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

  @Test func `an option is none of Vosk's`() {
    guard case .optionInvalid("beam", _) = refusal({ $0.engineOptions = ["beam": "1"] }) else {
      Issue.record("it was taken")
      return
    }
  }

  @Test func `a hint may be left aside`() {
    #expect(refusal { $0.contextualPhrases = ["Kaunas"] } == nil)
  }

  @Test func `a word that the model does not have is named with its phrase`() {
    #expect(
      refusal { $0.keyPhrases = [SpeechKeyPhrase("go blorfle")] }
        == .wordUnknown("blorfle", phrase: "go blorfle"))
  }

  @Test(arguments: [0, -1, 1.5, .nan])
  func `a threshold lies above 0 and up to 1`(threshold: Double) {
    guard
      case .optionInvalid = refusal({
        $0.keyPhrases = [SpeechKeyPhrase("go", threshold: threshold)]
      })
    else {
      Issue.record("\(threshold) was taken")
      return
    }
  }

  @Test func `a phrase has words`() {
    guard case .optionInvalid = refusal({ $0.keyPhrases = [SpeechKeyPhrase("  ")] }) else {
      Issue.record("it was taken")
      return
    }
  }

  @Test func `key phrases go with neither alternatives nor a grammar`() {
    #expect(
      refusal {
        $0.keyPhrases = [SpeechKeyPhrase("go")]
        $0.alternativeCount = 1
      } == .unsupported("alternatives to key phrases", engine: "Vosk"))
    #expect(
      refusal {
        $0.keyPhrases = [SpeechKeyPhrase("go")]
        $0.grammar = "#JSGF V1.0;\npublic <a> = go;"
      } == .unsupported("key phrases beside a grammar", engine: "Vosk"))
  }

  @Test func `key phrases need a word for everything else`() throws {
    try vosk.behave("unknown [unk]")
    guard case .unsupported(let what, _) = refusal({ $0.keyPhrases = [SpeechKeyPhrase("go")] })
    else {
      Issue.record("it was taken")
      return
    }
    #expect(what.contains("[unk]"))
  }

  @Test func `an unknown word of a grammar is named with its line`() {
    #expect(
      refusal { $0.grammar = "#JSGF V1.0;\npublic <a> = go\n| blorfle;" }
        == .grammarInvalid(line: 3, reason: "the model does not have the word \"blorfle\""))
  }

  @Test func `a language that the model does not know is an error`() {
    #expect(refusal { $0.language = "de" } == .languageMissing(wanted: "de", available: "en-US"))
    #expect(refusal { $0.language = "en" } == nil)
  }
}
