import AudioCore
import ClientDependencies
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

@Suite struct SpokenLanguageTests {
  private let tasks = SpeechTasks()

  private func request(
    locale: String? = SpokenLanguage.detected, translates: Bool = false
  ) -> SpeechRequest {
    var request = SpeechRequest(buffers: stream(audio(utterances: 2)))
    (request.locale, request.translates) = (locale, translates)
    return request
  }

  private var utterances: [ScriptedUtterance] {
    zip(["hola a todos", "guten Tag"], ["es", "de"]).map { text, tag in
      var utterance = ScriptedUtterance(text)
      utterance.language = SpokenLanguage(tag, probability: 0.9)
      return utterance
    }
  }

  @Test func `each result has the detected language of its utterance`() async throws {
    let engine = ScriptedSpeechEngine(utterances: utterances).engine
    let results = try await tasks.start(request(), on: engine).all()
    #expect(results.finals == ["hola a todos", "guten Tag"])
    #expect(results.contains { !$0.isFinal && $0.language?.tag == "es" })
    #expect(
      results.filter(\.isFinal).map(\.language)
        == ["es", "de"].map { SpokenLanguage($0, probability: 0.9) })
  }

  @Test func `a result for a requested language reports no detected language`() async throws {
    let engine = ScriptedSpeechEngine(utterances: utterances, language: "es").engine
    let results = try await tasks.start(request(locale: "es"), on: engine).all()
    #expect(results.count > 2 && results.allSatisfy { $0.language == nil })
  }

  @Test func `a translation reaches an engine that can translate`() async throws {
    let scripted = ScriptedSpeechEngine(utterances: utterances)
    var engine = scripted.engine
    engine.capabilities.insert(.translation)
    _ = try await tasks.start(request(translates: true), on: engine).all()
    #expect(scripted.options.map(\.translates) == [true])
    #expect(scripted.options.map(\.language) == [SpokenLanguage.detected])
  }

  @Test func `an engine that cannot detect languages or translate ends the stream with the reason`()
    async
  {
    let scripted = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
    for (request, feature) in [
      (request(), "the detection of languages"), (request(translates: true), "translation"),
      (request(locale: nil, translates: true), "translation"),
    ] {
      await #expect(
        throws: SpeechClientError.invalidRequest(
          reason: """
            scripted does not support \(feature); change the request, or use another engine
            """)
      ) {
        try await tasks.start(request, on: scripted.engine).all()
      }
    }
    #expect(scripted.options.isEmpty && tasks.all.isEmpty)
  }
}
