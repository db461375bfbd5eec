import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct SpeechOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `speech options are set in the request`() throws {
    let options = try SpeechOptions.parse([
      "--grammar", "a.gram", "--locale", "en-US", "--end-silence", "1.5", "--longest-utterance",
      "30", "--tail-padding", "0.25",
    ])
    let request = options.applied(to: SpeechRequest(url: URL(filePath: "a.wav")))
    #expect(request.grammar == .file(FilePath("a.gram").url))
    #expect(request.locale == "en-US")
    #expect(request.endpointPolicy.silence == .milliseconds(1500))
    #expect(request.endpointPolicy.maximumLength == .seconds(30))
    #expect(request.endpointPolicy.tailPadding == .milliseconds(250))
    let plain = try SpeechOptions.parse([]).applied(to: SpeechRequest(microphone: .speech))
    #expect(plain.endpointPolicy == EndpointPolicy())
  }

  @Test func `phrases, alternatives, and engine settings are set in the request`() throws {
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

  @Test func `--translate detects the language unless --locale names it`() throws {
    func request(_ arguments: String...) throws -> SpeechRequest {
      try withDependencies {
        $0.settings = Settings(variable: { $0 == "SYRINX_LOCALE" ? "fr" : nil }, file: nil)
      } operation: {
        try SpeechOptions.parse(arguments).applied(to: SpeechRequest(microphone: .speech))
      }
    }
    let translated = try request("--translate")
    #expect(translated.translates && translated.locale == SpokenLanguage.detected)
    #expect(try request("--translate", "-l", "de").locale == "de")
    #expect(try request("-l", "AUTO").locale == SpokenLanguage.detected)
    let plain = try request()
    #expect(!plain.translates && plain.locale == "fr")
  }

  @Test func `-l auto and --translate end with a reason if no engine can do them`() async throws {
    try folder.speech("go.wav")
    for (option, feature) in [
      ("-l auto", "detection"), ("-l en --translate", "translation"),
      ("--translate", "translation"),
    ] {
      let run = try await BuiltCommand.shell(
        "syrinx transcribe go.wav --engine pocketsphinx \(option)", in: folder)
      #expect(run.status == 64 && run.output.isEmpty && run.errorLines.count == 1)
      #expect(run.error.contains("pocketsphinx does not support ") && run.error.contains(feature))
    }
  }

  /// Returns the contextual phrases of a request with these options.
  private func phrases(_ arguments: String...) async throws -> [String] {
    let prepare = try await SpeechOptions.parse(arguments).preparation()
    return prepare(SpeechRequest(microphone: .speech)).contextualPhrases
  }

  @Test(arguments: [
    "Ada Lovelace\n# names\n\nComfyUI folder\n", "Ada Lovelace\r\n#\r\n  \r\nComfyUI folder",
    "\u{FEFF}# names\n  Ada Lovelace \n\tComfyUI folder\n\n",
  ])
  func `--context-file adds its phrases to those of --context`(text: String) async throws {
    let file = folder.file("phrases.txt")
    try Data(text.utf8).write(to: file)
    let found = try await phrases("--context", "Grace", "--context-file", file.path)
    #expect(found == ["Grace", "Ada Lovelace", "ComfyUI folder"])
  }

  @Test(arguments: [
    ("phrases.txt", nil, "cannot read phrases.txt: there is no such file; check the name"),
    (".", nil, "it is a folder; name a file in it"),
    ("phrases.txt", "caf\u{E9}".data(using: .isoLatin1), "phrases.txt is not UTF-8 text"),
    ("phrases.txt", "Ada".data(using: .utf16LittleEndian), "phrases.txt is not UTF-8 text"),
    ("phrases.txt", Data(count: 1_048_577), "phrases.txt has more than 1048576 bytes"),
  ])
  func `a --context-file that is not text is an error with its reason, before recognition begins`(
    name: String, bytes: Data?, reason: String
  ) async throws {
    try folder.speech("go.wav")
    try bytes?.write(to: folder.file(name))
    for command in ["transcribe go.wav", "listen -d virtual:go.wav", "serve --wyoming stdio"] {
      let run = try await BuiltCommand.shell(
        "syrinx \(command) --context-file \(name) </dev/null", in: folder)
      #expect(run.status == 1 && run.output.isEmpty && run.errorLines.count == 1)
      #expect(run.error.contains(reason), "\(run.error)")
    }
  }

  @Test(arguments: [
    ["--key-phrase", ""], ["--key-phrase", "go:0"], ["--key-phrase", "go:2"],
    ["--key-phrase", "go:x"], ["--key-phrase", "go:1:1"], ["--alternatives", "-1"],
    ["--alternatives", "101"], ["--engine-option", "lw"], ["--engine-option", "=5"],
    ["--key-phrase", "go", "--grammar", "a.gram"],
  ])
  func `invalid phrases, alternatives, and engine settings are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SpeechOptions.parse(arguments) }
  }

  @Test func `with --key-phrase only key phrases are recognized`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "go.wav", "--key-phrase", "go forward", "--key-phrase", "stop", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward\n")
  }

  @Test func `the usage error for an unknown word or engine setting contains its name`()
    async throws
  {
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

  @Test func `--alternatives adds alternatives to the JSON and requires --json`() async throws {
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
  func `invalid durations are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try SpeechOptions.parse(arguments) }
  }

  @Test func `with --grammar, only the grammar's sentences are recognized`() async throws {
    try folder.speech("go.wav")
    try Data("#JSGF V1.0;\ngrammar a;\npublic <a> = go forward ten meters | stop;\n".utf8)
      .write(to: folder.file("a.gram"))
    let run = try await BuiltCommand.run("transcribe", "go.wav", "--grammar", "a.gram", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward ten meters\n")
  }

  @Test func `an invalid grammar ends the command with one error, which contains the line number`()
    async throws
  {
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
  func `a grammar in a pipe applies to every file`(options: String) async throws {
    try folder.speech("go.wav")
    try folder.speech("gone.wav")
    let run = try await BuiltCommand.shell(
      """
      syrinx transcribe go.wav gone.wav \(options) \
        --grammar <(sleep 0.2; echo '#JSGF V1.0; grammar a; public <a> = go forward;')
      if [ -d out ]; then cat out/*.txt; fi
      """, in: folder)
    #expect(run.error.isEmpty, "\(run.error)")
    let isNamed = options.hasPrefix("--jobs")
    let names = isNamed ? ["go.wav: ", "gone.wav: "] : ["", ""]
    #expect(run.output == names.map { "\($0)go forward\n" }.joined())
  }

  @Test(arguments: [
    (#"<(printf '\xff')"#, "is not UTF-8 text"), ("<(yes)", "more than 16777216 bytes"),
    ("<(echo '#JSGF V1.0; grammar a; public <a> = go blorfle;')", "blorfle"),
  ])
  func `the error for a pipe without a usable grammar contains the reason`(
    pipe: String, reason: String
  )
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

/// Tests the loading of models before a command's first request.
@Suite struct ReadinessTests {
  /// Returns the calls of the client before the first request, in order.
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

  @Test func `dictation loads the model before the first request`() async throws {
    #expect(try await asked() == ["load"])
    #expect(try await asked("--end-silence", "1", "--context", "go") == ["load"])
  }

  @Test(arguments: [["--grammar", "g"], ["--key-phrase", "go"], ["--engine-option", "lw=5"]])
  func `a request that needs another decoder does not load the default decoder`(
    arguments: [String]
  ) async throws {
    #expect(try await asked(arguments[0], arguments[1]) == ["look"])
  }

  @Test func `a remedy follows the error for a missing model, but not for a missing language`()
    async throws
  {
    for (missing, remedy) in [
      (SpeechEngineError.modelNotInstalled(searched: [], remedy: ""), "`syrinx engines install"),
      (.languageMissing(wanted: "de", available: "en"), nil),
    ] {
      let reason = try await withDependencies {
        $0.speechEngine = SpeechEngine()
        $0.speechEngine.name = "moonshine"
        $0.speechEngine.availability = { .unavailable(missing) }
      } operation: {
        var speech = SpeechClient()
        speech.requestAuthorization = { .denied(reason: "none") }
        let (client, options) = (speech, try SpeechOptions.parse([]))
        let error = await #expect(throws: SpeechClientError.self) {
          try await client.makeReady(for: options)
        }
        return "\(try #require(error))"
      }
      #expect(reason.contains("none"))
      #expect(reason.contains("syrinx") == (remedy != nil), "\(reason)")
      if let remedy { #expect(reason.contains(remedy)) }
    }
  }

  @Test(
    arguments: [
      (
        SpeechEngineAvailability.ready(SpeechModel(language: "mul", location: "/p")),
        "use --engine polyglot -l es"
      ),
      (.unavailable(.languageMissing(wanted: "es", available: "en")), nil),
      (
        .unavailable(.modelNotInstalled(searched: [], remedy: "")),
        "`syrinx engines install polyglot` installs an engine for many languages"
      ),
      (
        .unavailable(.libraryMissing(searched: [], remedy: "")),
        "`syrinx engines install polyglot` installs an engine for many languages"
      ),
    ] as [(SpeechEngineAvailability, String?)])
  func `the error for a missing language names an engine that recognizes it`(
    availability: SpeechEngineAvailability, remedy: String?
  ) async throws {
    let polyglot = EngineMaker("polyglot") { settings in
      var engine = SpeechEngine()
      engine.capabilities = [.languageDetection]
      #expect(settings.language == "es")
      engine.availability = { availability }
      return engine
    }
    try await withDependencies {
      $0.speechEngine = SpeechEngine()
      $0.speechEngine.name = "moonshine"
      $0.speechEngine.availability = {
        .unavailable(.languageMissing(wanted: "es", available: "en"))
      }
      $0.engineMakers.named = [polyglot]
    } operation: {
      var speech = SpeechClient()
      speech.requestAuthorization = { .denied(reason: "none") }
      let (client, options) = (speech, try SpeechOptions.parse(["-l", "es"]))
      let reason = ["none", remedy].compactMap(\.self).joined(separator: "; ")
      await #expect(throws: SpeechClientError.unavailable(reason: reason)) {
        try await client.makeReady(for: options)
      }
    }
  }

  @Test func `the remedy is that of the engine that the options choose`() async throws {
    try await withDependencies {
      $0.speechEngine = SpeechEngine()
      $0.speechEngine.choose = { options in
        var engine = SpeechEngine()
        engine.name = options.translates ? "whisper" : "moonshine"
        engine.availability = { .unavailable(.modelNotInstalled(searched: [], remedy: "")) }
        return engine
      }
    } operation: {
      var speech = SpeechClient()
      speech.requestAuthorization = { .denied(reason: "none") }
      let (client, options) = (speech, try SpeechOptions.parse(["-l", "en", "--translate"]))
      let error = await #expect(throws: SpeechClientError.self) {
        try await client.makeReady(for: options)
      }
      let reason = "\(try #require(error))"
      #expect(reason.contains("`syrinx engines install whisper`"), "\(reason)")
    }
  }

  @Test(arguments: [[], ["--grammar", "g"]])
  func `a missing model is an error for dictation and for other requests`(arguments: [String])
    async throws
  {
    var speech = SpeechClient()
    speech.requestAuthorization = { .denied(reason: "none") }
    speech.authorizationStatus = { .restricted(reason: "none") }
    let (client, options) = (speech, try SpeechOptions.parse(arguments))
    await #expect(throws: SpeechClientError.unavailable(reason: "none")) {
      try await client.makeReady(for: options)
    }
  }
}
