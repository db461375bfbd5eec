import AudioCore
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// What a request asks for reaches the endpointer and the engine.
@Suite struct RequestOptionsTests {
  private let tasks = SpeechTasks()
  private let scripted = ScriptedSpeechEngine(utterances: [
    ScriptedUtterance("go forward"), ScriptedUtterance("ten meters"),
  ])

  private func results(_ policy: EndpointPolicy) async throws -> [SpeechRecognitionResult] {
    var request = SpeechRequest(
      buffers: stream(audio(utterances: 2)), shouldReportPartialResults: false)
    request.endpointPolicy = policy
    return try await tasks.start(request, on: scripted.engine).all()
  }

  @Test func `a pause shorter than the policy's silence does not end an utterance`() async throws {
    // The pause between the utterances lasts a second.
    #expect(try await results(EndpointPolicy(silence: .milliseconds(900))).count == 2)
    #expect(try await results(EndpointPolicy(silence: .milliseconds(1200))).count == 1)
  }

  @Test func `the pre-roll decides where an utterance begins`() async throws {
    let first = try await results(EndpointPolicy(preRoll: .milliseconds(500))).first
    let begin = try #require(first?.bestTranscription.segments.first?.timestamp)
    #expect(abs(begin.inSeconds - 0.5) < 0.03)
  }

  @Test func `durations that make no sense are taken for the nearest that do`() async throws {
    let policy = EndpointPolicy(
      preRoll: .seconds(-1), onset: .zero, silence: .zero, comfortable: .seconds(-1),
      shortSilence: .seconds(-1), longest: .seconds(Int64.max))
    #expect(try await results(policy).finals.first == "go forward")
    #expect(policy.usable.longest == .seconds(3600))
    #expect(policy.usable.preRoll == .zero)
  }

  @Test func `a grammar may be a file`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gram")
    defer { try? FileManager.default.removeItem(at: file) }
    try "#JSGF V1.0; grammar a; public <a> = go forward ten meters;".write(
      to: file, atomically: true, encoding: .utf8)
    var request = SpeechRequest(url: sound("go-forward.wav"))
    request.grammar = .file(file)
    let results = try await tasks.start(request, on: .pocketSphinx()).all()
    #expect(results.finals == ["go forward ten meters"])
  }

  @Test func `a grammar or a locale that cannot be used ends the stream with the reason`() async {
    var request = SpeechRequest(url: sound("go-forward.wav"))
    request.grammar = .text("#JSGF V1.0;\ngrammar a;\npublic <a> = go blorfle;")
    await #expect(
      throws: SpeechClientError.invalidGrammar(
        reason:
          "line 3: the word \"blorfle\" is not in the dictionary (its words are in lower case)")
    ) {
      try await tasks.start(request, on: .pocketSphinx()).all()
    }
    request.grammar = .file(URL(filePath: "/nowhere/a.gram"))
    await #expect(
      throws: SpeechClientError.invalidGrammar(
        reason: "/nowhere/a.gram cannot be read as UTF-8 text")
    ) {
      try await tasks.start(request, on: .pocketSphinx()).all()
    }
    request.grammar = nil
    request.locale = "de-DE"
    await #expect(
      throws: SpeechClientError.unavailable(
        reason:
          "the speech model knows en-US and not de-DE; ask for en-US, or use a model for de-DE")
    ) {
      try await tasks.start(request, on: .pocketSphinx()).all()
    }
    #expect(tasks.all.isEmpty)
  }

  @Test func `tasks that start while others finish give their finals and end`() async throws {
    let request = SpeechRequest(buffers: stream([]), shouldReportPartialResults: false)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask { [tasks, scripted] in
          _ = try? await tasks.start(request, on: scripted.engine).all()
        }
        group.addTask { [tasks] in await tasks.finishAll() }
      }
    }
    #expect(tasks.all.isEmpty)
  }
}
