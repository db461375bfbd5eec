import ArgumentParser
import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import Testing

@testable import SyrinxCommand

@Suite struct LanguageNoticeTests {
  private func engine(_ name: String = "moonshine", language: String = "en") -> SpeechEngine {
    var engine = SpeechEngine()
    engine.name = name
    engine.availability = { .ready(SpeechModel(language: language, location: "/m")) }
    return engine
  }

  /// Returns a result of five seconds, with a word of this confidence at its start and at its end.
  private func final(_ confidence: Double?, isFinal: Bool = true) -> SpeechRecognitionResult {
    let words = [Duration.seconds(3), .seconds(7)].map { time in
      TranscriptionSegment(
        substring: "word", timestamp: time, duration: .seconds(1), confidence: confidence)
    }
    return SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: words), isFinal: isFinal)
  }

  private func notices(
    _ confidences: Double?..., engine: SpeechEngine, isFinal: Bool = true
  ) -> [String] {
    var notice = LanguageNotice(engine: engine)
    return confidences.compactMap { notice.text(after: final($0, isFinal: isFinal)) }
  }

  @Test func `ten seconds of words with low confidence cause one notice with the model's language`()
    throws
  {
    let notices = notices(0.3, 0.5, 0.1, 0.1, engine: engine())
    #expect(notices.count == 1)
    #expect(notices[0].contains("a mean confidence of 0.4: "))
    #expect(notices[0].contains("probably not English, the model's language"))
    let german = self.notices(0.3, 0.5, engine: engine(language: "de"))
    #expect(german.first?.contains("probably not in de, the model's language") == true)
    let unknown = self.notices(0.3, 0.5, engine: engine(language: "und"))
    #expect(unknown.first?.contains("probably not in the model's language,") == true)
  }

  @Test func `less than ten seconds, high confidence, and partial results cause no notice`() {
    #expect(notices(0.1, engine: engine()).isEmpty)
    #expect(notices(0.1, 0.9, 0.6, 0.4, engine: engine()).isEmpty)
    #expect(notices(nil, nil, nil, engine: engine()).isEmpty)
    #expect(notices(0.1, 0.1, 0.1, engine: engine(), isFinal: false).isEmpty)
  }

  @Test func `a change of language within the input is detected`() {
    #expect(notices(0.9, 0.9, 0.9, 0.9, 0.2, 0.2, engine: engine()).count == 1)
  }

  @Test func `the confidence threshold is lower for PocketSphinx`() {
    #expect(notices(0.45, 0.45, engine: engine("pocketsphinx")).isEmpty)
    #expect(notices(0.38, 0.38, engine: engine("pocketsphinx")).count == 1)
  }

  /// Returns an engine for many languages, which may be installed.
  private func polyglot(isInstalled: Bool) -> EngineMaker {
    EngineMaker("polyglot") { _ in
      var engine = SpeechEngine()
      engine.name = "polyglot"
      engine.capabilities = [.languageDetection]
      engine.availability = {
        isInstalled
          ? .ready(SpeechModel(language: "mul", location: "/p"))
          : .unavailable(.modelNotInstalled(searched: [], remedy: ""))
      }
      return engine
    }
  }

  @Test func `the notice names the command or the options for an engine for many languages`() {
    for (maker, advice) in [
      (
        polyglot(isInstalled: false),
        "; `syrinx engines install polyglot` installs an engine for many languages"
      ),
      (polyglot(isInstalled: true), "; use --engine polyglot -l auto"),
    ] {
      let text = withDependencies {
        $0.engineMakers.named = [EngineMaker("other") { _ in engine() }, maker]
      } operation: {
        notices(0.1, 0.1, engine: engine()).first
      }
      #expect(text?.hasSuffix(advice) == true, "\(text ?? "-")")
    }
    let plain = notices(0.1, 0.1, engine: engine()).first
    #expect(plain?.hasSuffix("; `syrinx engines` lists the models") == true)
  }

  @Test func `an engine that detects languages causes no notice`() throws {
    let options = try SpeechOptions.parse([])
    for (capabilities, isNoticed) in [
      (Set<SpeechEngineCapability>([.languageDetection]), false), ([], true),
    ] {
      withDependencies {
        $0.speechEngine = engine()
        $0.speechEngine.capabilities = capabilities
      } operation: {
        #expect((options.makeLanguageNotice() != nil) == isNoticed)
      }
    }
  }

  @Test(arguments: [["--grammar", "g"], ["--key-phrase", "go"]])
  func `with a grammar or key phrases there is no language notice`(options: [String]) throws {
    #expect(try SpeechOptions.parse(options).makeLanguageNotice() == nil)
  }
}
