import ArgumentParser
import ClientDependencies
import FilePaths
import Foundation
import SpeechClient
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(2)))
struct SpeechOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `the options reach the request`() throws {
    let options = try SpeechOptions.parse([
      "--grammar", "a.gram", "--locale", "en-US", "--end-silence", "1.5", "--longest-utterance",
      "30", "--tail-padding", "0.25",
    ])
    let request = options.applied(to: SpeechRequest(url: URL(filePath: "a.wav")))
    #expect(request.grammar == .file(FilePath("a.gram").url))
    #expect(request.locale == "en-US")
    #expect(request.endpointPolicy.silence == .milliseconds(1500))
    #expect(request.endpointPolicy.longest == .seconds(30))
    #expect(request.endpointPolicy.tailPadding == .milliseconds(250))
    let plain = try SpeechOptions.parse([]).applied(to: SpeechRequest(microphone: .speech))
    #expect(plain.endpointPolicy == EndpointPolicy())
  }

  @Test func `phrases, alternatives and the engine's own settings reach the request`() throws {
    let options = try SpeechOptions.parse([
      "--key-phrase", "go forward", "--key-phrase", "stop:1e-20", "--context", "ten meters",
      "--context", "Ada", "--alternatives", "3", "--engine-option", "lw=5", "--engine-option",
      "a=b=c",
    ])
    let request = options.applied(to: SpeechRequest(url: URL(filePath: "a.wav")))
    #expect(request.keyPhrases == [KeyPhrase("go forward"), KeyPhrase("stop", threshold: 1e-20)])
    #expect(request.contextualPhrases == ["ten meters", "Ada"])
    #expect(request.alternativeCount == 3)
    #expect(request.engineOptions == ["lw": "5", "a": "b=c"])
  }

  @Test(arguments: [
    ["--key-phrase", ""], ["--key-phrase", "go:0"], ["--key-phrase", "go:2"],
    ["--key-phrase", "go:x"], ["--key-phrase", "go:1:1"], ["--alternatives", "-1"],
    ["--alternatives", "101"], ["--engine-option", "lw"], ["--engine-option", "=5"],
    ["--key-phrase", "go", "--grammar", "a.gram"],
  ])
  func `what makes no sense is refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SpeechOptions.parse(arguments) }
  }

  @Test func `key phrases are listened for, and nothing else`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "--key-phrase", "go forward", "--key-phrase", "stop", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward\n")
  }

  @Test func `an unknown word or setting ends the command with its name`() async throws {
    try folder.speech("go.wav")
    let word = try await BuiltCommand.run(
      "transcribe", "go.wav", "go.wav", "--key-phrase", "go blorfle", in: folder)
    #expect(word.status == 64 && word.errorLines.count == 1 && word.output.isEmpty)
    #expect(word.error.contains("\"blorfle\" of the phrase \"go blorfle\""), "\(word.error)")
    let setting = try await BuiltCommand.run(
      "transcribe", "go.wav", "--engine-option", "speed=9", in: folder)
    #expect(setting.status == 64)
    #expect(
      setting.error.contains("speed") && setting.error.contains("maxhmmpf"), "\(setting.error)")
  }

  @Test func `other readings are in the JSON, for which they need it`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "--json", "--alternatives", "2", in: folder)
    let line = try UtteranceLine(try #require(run.outputLines.first))
    #expect(line.event == "final" && line.alternatives?.count == 2)
    #expect(line.wordsPerMinute.map { (100...300).contains($0) } == true)
    let text = try await BuiltCommand.run("transcribe", "go.wav", "--alternatives", "2", in: folder)
    #expect(text.status == 64)
  }

  @Test(arguments: [
    ["--end-silence", "0"], ["--end-silence", "nan"], ["--longest-utterance", "0.5"],
    ["--tail-padding", "-1"], ["--tail-padding", "10.5"], ["--tail-padding", "nan"],
  ])
  func `durations that make no sense are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SpeechOptions.parse(arguments) }
  }

  @Test func `with a grammar only its sentences come`() async throws {
    try folder.speech("go.wav")
    try Data("#JSGF V1.0;\ngrammar a;\npublic <a> = go forward ten meters | stop;\n".utf8)
      .write(to: folder.file("a.gram"))
    let run = try await BuiltCommand.run("transcribe", "go.wav", "--grammar", "a.gram", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward ten meters\n")
  }

  @Test func `a bad grammar ends the command with its line, whatever files follow`() async throws {
    try folder.speech("go.wav")
    try Data("#JSGF V1.0;\ngrammar a;\npublic <a> = go blorfle;\n".utf8)
      .write(to: folder.file("a.gram"))
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "go.wav", "--grammar", "a.gram", in: folder)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("line 3") && run.error.contains("blorfle"))
  }

  @Test(arguments: ["--jobs 1", "--jobs 2", "--output-dir out"])
  func `a grammar in a pipe holds for every file`(options: String) async throws {
    try folder.speech("go.wav")
    try folder.speech("gone.wav")
    let run = try await BuiltCommand.shell(
      """
      syrinx transcribe go.wav gone.wav \(options) \
        --grammar <(sleep 0.2; echo '#JSGF V1.0; grammar a; public <a> = go forward;')
      if [ -d out ]; then cat out/*.txt; fi
      """, in: folder)
    #expect(run.error.isEmpty, "\(run.error)")
    #expect(run.output == "go forward\ngo forward\n")
  }

  @Test(arguments: [
    (#"<(printf '\xff')"#, "not a text in UTF-8"), ("<(yes)", "more than 16777216 bytes"),
    ("<(echo '#JSGF V1.0; grammar a; public <a> = go blorfle;')", "blorfle"),
  ])
  func `a pipe without a grammar ends the command with its reason`(pipe: String, reason: String)
    async throws
  {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      "syrinx transcribe go.wav go.wav --grammar \(pipe)", in: folder)
    #expect(run.status == 1)
    #expect(run.output.isEmpty)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains(reason), "\(run.error)")
  }
}

/// What is loaded before a command asks for anything.
@Suite struct ReadinessTests {
  /// What a command asks the client for before its first request, in this order.
  private func asked(_ arguments: String...) async throws -> [String] {
    let asked = LockIsolated<[String]>([])
    var speech = SpeechClient()
    speech.requestAuthorization = {
      asked.withValue { $0.append("load") }
      return .authorized
    }
    speech.authorizationStatus = {
      asked.withValue { $0.append("look") }
      return .authorized
    }
    try await speech.makeReady(for: try SpeechOptions.parse(arguments))
    return asked.value
  }

  @Test func `for dictation the model is loaded before the first request`() async throws {
    #expect(try await asked() == ["load"])
    #expect(try await asked("--end-silence", "1", "--context", "go") == ["load"])
  }

  @Test(arguments: [["--grammar", "g"], ["--key-phrase", "go"], ["--engine-option", "lw=5"]])
  func `where the request loads another decoder, nothing is loaded before it`(
    arguments: [String]
  ) async throws {
    #expect(try await asked(arguments[0], arguments[1]) == ["look"])
  }

  @Test(arguments: [[], ["--grammar", "g"]])
  func `a model that is missing is an error in either case`(arguments: [String]) async throws {
    var speech = SpeechClient()
    speech.requestAuthorization = { .denied(reason: "none") }
    speech.authorizationStatus = { .restricted(reason: "none") }
    let (client, options) = (speech, try SpeechOptions.parse(arguments))
    await #expect(throws: SpeechClientError.unavailable(reason: "none")) {
      try await client.makeReady(for: options)
    }
  }
}
