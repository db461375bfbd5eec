import AudioCore
import AudioThreads
import Foundation
import PocketSphinxEngine
import SpeechClient
import SpeechEngine
import SyrinxTestSupport
import Testing

@testable import SpeechClientLive

/// The options of a request reach the endpointer and the engine.
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
    // The pause of a second between the utterances exceeds the required silence.
    #expect(try await results(EndpointPolicy(silence: .milliseconds(900))).count == 2)
    #expect(try await results(EndpointPolicy(silence: .milliseconds(1200))).count == 1)
  }

  @Test func `the pre-roll determines the start of an utterance`() async throws {
    let first = try await results(EndpointPolicy(preRoll: .milliseconds(500))).first
    let begin = try #require(first?.bestTranscription.segments.first?.timestamp)
    #expect(abs(begin.inSeconds - 0.5) < 0.03)
  }

  @Test func `invalid durations become the nearest valid durations`() async throws {
    let policy = EndpointPolicy(
      preRoll: .seconds(-1), onset: .zero, silence: .zero, preferredLength: .seconds(-1),
      shortSilence: .seconds(-1), maximumLength: .seconds(Int64.max))
    #expect(try await results(policy).finals.first == "go forward")
    #expect(policy.usable.maximumLength == .seconds(3600))
    #expect(policy.usable.preRoll == .zero)
  }

  @Test func `the endpoint policy is adapted to the engine's maximum length and padding`() {
    var traits = SpeechSessionTraits()
    traits.utteranceLength = .zero ... .seconds(8)
    let fitted = EndpointPolicy().fitted(to: traits)
    #expect((fitted.maximumLength, fitted.tailPadding) == (.seconds(8), nil))
    #expect(
      EndpointPolicy(maximumLength: .seconds(5)).fitted(to: traits).maximumLength == .seconds(5))
    traits.decodeInterval = .seconds(1)
    // The engine gets up to 8 s, including 200 ms of silence after the last sound.
    let anticipating = EndpointPolicy().fitted(to: traits)
    #expect(anticipating.tailPadding == .milliseconds(200))
    #expect(anticipating.maximumLength == .milliseconds(7800))
    #expect(EndpointPolicy(tailPadding: .zero).fitted(to: traits).tailPadding == .zero)
    traits.utteranceLength = .zero ... .zero
    #expect(EndpointPolicy().fitted(to: traits).maximumLength == .seconds(1))
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `a grammar in a file or a text may have a byte order mark`(mark: String) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gram")
    defer { try? FileManager.default.removeItem(at: file) }
    let text = "\(mark)#JSGF V1.0; grammar a; public <a> = go forward ten meters;"
    try text.write(to: file, atomically: true, encoding: .utf8)
    for grammar in [SpeechGrammar.file(file), .text(text)] {
      var request = SpeechRequest(url: sound("go-forward.wav"))
      request.grammar = grammar
      let results = try await tasks.start(request, on: .pocketSphinx()).all()
      #expect(results.finals == ["go forward ten meters"])
    }
  }

  @Test func `waiting for the writer of a grammar pipe blocks no shared thread`() async throws {
    let pipe = FileManager.default.temporaryDirectory.appending(path: "\(UUID()).gram")
    defer { try? FileManager.default.removeItem(at: pipe) }
    try #require(mkfifo(pipe.path, 0o600) == 0)
    var request = SpeechRequest(url: sound("go-forward.wav"))
    request.grammar = .file(pipe)
    // No writer has opened the pipe yet.
    let started = tasks.start(request, on: .pocketSphinx())
    _ = try DedicatedThread.start(name: "syrinx-test") {
      let text = "#JSGF V1.0; grammar a; public <a> = go forward ten meters;"
      let file = open(pipe.path, O_WRONLY)
      _ = write(file, text, text.utf8.count)
      close(file)
    }
    #expect(try await started.all().finals == ["go forward ten meters"])
  }

  @Test func `the error of an unreadable grammar file contains the reason`() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let latin = folder.appending(path: "latin.gram")
    try Data("#JSGF V1.0; // f\u{fc}r".utf8.filter { $0 != 0xC3 }).write(to: latin)
    for (file, reason) in [
      (latin, "\(latin.path) is not UTF-8 text; save it as such"),
      (folder, "cannot read \(folder.path): it is a folder; name a file in it"),
    ] {
      var request = SpeechRequest(buffers: stream([]))
      request.grammar = .file(file)
      await #expect(throws: SpeechClientError.invalidGrammar(reason: reason)) {
        try await tasks.start(request, on: scripted.engine).all()
      }
    }
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
        reason: "cannot read /nowhere/a.gram: there is no such file; check the name and its folder")
    ) {
      try await tasks.start(request, on: .pocketSphinx()).all()
    }
    request.grammar = nil
    request.locale = "de-DE"
    await #expect(
      throws: SpeechClientError.unavailable(
        reason:
          "the speech model knows en-US and not de-DE; request en-US, or use a model for de-DE")
    ) {
      try await tasks.start(request, on: .pocketSphinx()).all()
    }
    #expect(tasks.all.isEmpty)
  }

  @Test func `every option of a request reaches the engine`() async throws {
    var request = SpeechRequest(buffers: stream(audio(utterances: 1)))
    request.keyPhrases = [KeyPhrase(" go   forward ", threshold: 1e-10), KeyPhrase("stop")]
    request.contextualPhrases = ["ten meters"]
    request.alternativeCount = 3
    request.engineOptions = ["lw": "5"]
    let results = try await tasks.start(request, on: scripted.engine).all()
    #expect(results.finals == ["go forward"])
    let options = try #require(scripted.options.first)
    #expect(
      options.keyPhrases == [KeyPhrase("go forward", threshold: 1e-10), KeyPhrase("stop")])
    #expect(options.contextualPhrases == ["ten meters"] && options.alternativeCount == 3)
    #expect(options.engineOptions == ["lw": "5"])
  }

  @Test func `a request that no engine can meet ends the stream with the reason`() async {
    func reason(_ change: (inout SpeechRequest) -> Void) async -> String? {
      var request = SpeechRequest(buffers: stream([]))
      change(&request)
      do {
        _ = try await tasks.start(request, on: scripted.engine).all()
        return nil
      } catch SpeechClientError.invalidRequest(let reason) {
        return reason
      } catch {
        return "\(error)"
      }
    }
    #expect(
      await reason {
        $0.grammar = .text("#JSGF V1.0;")
        $0.keyPhrases = [KeyPhrase("go")]
      } == "a grammar and key phrases exclude each other; request one of them")
    #expect(await reason { $0.keyPhrases = [KeyPhrase("  ")] } == "a key phrase has no words")
    for threshold in [0, -1, 1.5, Double.nan] {
      #expect(
        await reason { $0.keyPhrases = [KeyPhrase("go", threshold: threshold)] }?
          .contains("not above 0 and at most 1") == true)
    }
    #expect(await reason { $0.alternativeCount = -5 } == nil)
  }

  @Test func `alternatives are returned as requested`() async throws {
    var utterance = ScriptedUtterance("go forward")
    utterance.alternatives = ["no forward", "go for", "go far"]
    let engine = ScriptedSpeechEngine(utterances: [utterance]).engine
    var request = SpeechRequest(
      buffers: stream(audio(utterances: 1)), shouldReportPartialResults: false)
    request.alternativeCount = 2
    let result = try #require(try await tasks.start(request, on: engine).all().first)
    #expect(
      result.transcriptions.map(\.formattedString) == ["go forward", "no forward", "go for"])
    #expect(result.speechRecognitionMetadata?.speakingRate == 300)
  }

  @Test(arguments: [(100, 9600), (700, 11_200)])
  func `an engine gets its requested silence after the last sound`(
    padding: Int, frames: Int
  ) async throws {
    let engine = ScriptedSpeechEngine(
      utterances: [ScriptedUtterance("go")], tailPadding: .milliseconds(padding))
    _ = try await tasks.start(
      SpeechRequest(buffers: stream(audio(utterances: 1))), on: engine.engine
    ).all()
    // The engine gets the pre-roll, half a second of noise, 10 ms in which the detector's measure
    // decays, and the requested silence.
    #expect(engine.events.contains(.finished(after: FrameCount(12_960 + frames))))
    let cutOff = ScriptedSpeechEngine(
      utterances: [ScriptedUtterance("go")], tailPadding: .milliseconds(padding))
    _ = try await tasks.start(
      SpeechRequest(buffers: stream(Array(audio(utterances: 1).prefix(14)))), on: cutOff.engine
    ).all()
    #expect(cutOff.events.contains(.finished(after: FrameCount(11_200 + padding * 16))))
  }

  @Test(arguments: [0, 100, 600, 900])
  func `an engine gets the policy's silence after the last sound`(
    padding: Int
  ) async throws {
    for (length, sound) in [(25, 12_960), (14, 11_200)] {
      let engine = ScriptedSpeechEngine(utterances: [ScriptedUtterance("go")])
      var request = SpeechRequest(
        buffers: stream(Array(audio(utterances: 1).prefix(length))),
        shouldReportPartialResults: false)
      request.endpointPolicy.tailPadding = .milliseconds(padding)
      let results = try await tasks.start(request, on: engine.engine).all()
      #expect(results.finals == ["go"])
      #expect(engine.events.contains(.finished(after: FrameCount(sound + padding * 16))))
    }
  }

  @Test func `tasks that start while others finish return their final results and end`()
    async throws
  {
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
