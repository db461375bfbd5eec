import AudioThreads
import Foundation
import TestTools
import Testing

/// The commands that `--exec` runs, and the switch of `listen --toggle`.
@Suite(.timeLimit(.minutes(5)))
struct ReactionTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try """
    #!/bin/sh
    { printf '%s,' "$@"; cat; echo ",$SYRINX_TEXT,$SYRINX_KEY_PHRASE,$SYRINX_FILE,$SYRINX_LEVEL"; } >> out
    """.write(to: folder.file("react"), atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o755], ofItemAtPath: folder.file("react").path)
  }

  @Test func `'listen --exec' runs a command for each final text`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:go.wav", "--exec", "./react 'two words' three", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error.isEmpty)
    let text = "go forward 10 meters"
    #expect(try reactions() == "two words,three,\(text),\(text),,,\n")
  }

  @Test func `'listen --exec-shell' expands variables`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:go.wav", "--exec-shell", "--exec",
      #"echo "$SYRINX_TEXT!" | tee out"#,
      in: folder)
    #expect(run.status == 0)
    #expect(try reactions() == "go forward 10 meters!\n")
  }

  @Test func `the output of a command goes to standard error`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:go.wav", "--exec", "echo noise", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error == "noise\n")
  }

  @Test func `a second signal ends a hanging command, too`() async throws {
    try folder.speech("go.wav")
    let padded = try await BuiltCommand.shell(
      "sox go.wav long.wav pad 0 60 && mkfifo gate", in: folder)
    #expect(padded.status == 0)
    let run = try RunningCommand(
      "listen", "-d", "virtual:long.wav", "--exec-shell", "--exec", "sleep 1000 > gate; :",
      in: folder, watching: .error)
    let gate = folder.file("gate")
    let bytes = try await DedicatedThread.run(name: "gate") {
      // Opening the pipe waits for the command, and reading it waits for the command's end.
      let pipe = try FileHandle(forReadingFrom: gate)
      run.send(SIGINT)
      run.send(SIGTERM)
      return try pipe.readToEnd() ?? Data()
    }
    #expect(bytes.isEmpty)
    #expect(await run.status() == 128 + SIGTERM)
  }

  @Test func `if listening fails before a result, an existing transcript stays`() async throws {
    try "old".write(to: folder.file("old.txt"), atomically: true, encoding: .utf8)
    for name in ["old.txt", "new.vtt"] {
      let run = try await BuiltCommand.run(
        "listen", "-d", "virtual:missing.wav", "-o", name, in: folder)
      #expect(run.status == 1)
      #expect(run.error.contains("missing.wav"))
    }
    #expect(try String(contentsOf: folder.file("old.txt"), encoding: .utf8) == "old")
    #expect(!FileManager.default.fileExists(atPath: folder.file("new.vtt").path))
  }

  @Test func `a missing command does not stop the recognition`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:go.wav", "--exec", "./missing", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error.contains(#"the command "./missing" cannot be run"#), "\(run.error)")
  }

  @Test func `with key phrases, a command runs for each phrase`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "listen", "-d", "virtual:go.wav", "--key-phrase", "ten meters:1e-20", "--exec", "./react",
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(try reactions() == ",ten meters,ten meters,ten meters,,\n")
  }

  @Test func `'record --exec' runs a command for each complete file`() async throws {
    try folder.tone("input.wav", .milliseconds(500))
    let run = try await BuiltCommand.run(
      "record", "take-%d.wav", "--roll-seconds", "0.2", "-d", "virtual:input.wav", "--exec",
      "./react", in: folder)
    #expect(run.status == 0)
    let files = (1...3).map { folder.file("take-\($0).wav").path }
    let lines = try reactions().split(separator: "\n")
    let names = lines.compactMap { $0.split(separator: ",").last?.split(separator: "/").last }
    #expect(names == ["take-1.wav", "take-2.wav", "take-3.wav"], "\(lines) \(files)")
  }

  @Test func `'measure --above' runs a command when the peak rises above the level after a second`()
    async throws
  {
    let loud = [Float](repeating: 0.5, count: 4_800)
    let quiet = [Float](repeating: 0, count: 4_800)
    let pause = [Float](repeating: 0, count: 19_200)
    try folder.floats("input.wav", [loud, quiet, loud, pause, loud].flatMap(\.self))
    let run = try await BuiltCommand.run(
      "measure", "-d", "virtual:input.wav", "--above", "-20", "--exec", "./react", in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(try reactions() == ",-6.0,,,,-6.0\n,-6.0,,,,-6.0\n")
  }

  @Test func `with --toggle, the microphone is closed until a signal switches listening on`()
    async throws
  {
    // An open microphone would fail, because its file is missing.
    let run = try RunningCommand(
      "listen", "--toggle", "-d", "virtual:missing.wav", in: folder, watching: .both)
    _ = try #require(await run.lines.first(containing: "listening is off;"))
    run.send(SIGINT)
    for await line in run.lines { Issue.record("unexpected: \(line)") }
    #expect(await run.status() == 0)
  }

  @Test func `a microphone that fails switches listening off, and listening can go on`()
    async throws
  {
    let run = try RunningCommand(
      "listen", "--toggle", "-d", "virtual:missing.wav", in: folder, watching: .both)
    _ = try #require(await run.lines.first(containing: "listening is off;"))
    for _ in 1...2 {
      run.send(SIGUSR1)
      _ = try #require(await run.lines.first(containing: "missing.wav"))
      _ = try #require(await run.lines.first(containing: "listening is off"))
    }
    run.send(SIGINT)
    #expect(await run.status() == 1)
  }

  @Test func `what was said before switching off becomes a final, and listening can go on`()
    async throws
  {
    try folder.speech("go.wav")
    let padded = try await BuiltCommand.shell("sox go.wav long.wav pad 0 60", in: folder)
    #expect(padded.status == 0)
    let run = try RunningCommand(
      "listen", "--toggle", "--partials", "--json", "--end-silence", "30", "-d", "virtual:long.wav",
      in: folder, watching: .both)
    _ = try #require(await run.lines.first(containing: "listening is off;"))
    for signal in [SIGUSR1, SIGUSR2] {
      run.send(SIGUSR1)
      _ = try #require(await run.lines.first(containing: "listening is on"))
      _ = try #require(await run.lines.first(containing: #""text":"go forward"#))
      run.send(signal)
      let final = try #require(await run.lines.first(containing: #""final":true"#))
      #expect(final.contains(#""text":"go forward"#))
      _ = try #require(await run.lines.first(containing: "listening is off"))
    }
    run.send(SIGTERM)
    #expect(await run.status() == 0)
  }

  @Test func `'listen' ends after --seconds or --stop-after-silence and writes its transcript`()
    async throws
  {
    try folder.speech("go.wav")
    let padded = try await BuiltCommand.shell("sox go.wav long.wav pad 0 60", in: folder)
    #expect(padded.status == 0)
    let silent = try await BuiltCommand.run(
      "listen", "-d", "virtual:long.wav", "--stop-after-silence", "1", "-o", "out.srt", in: folder)
    #expect(silent.status == 0 && silent.output.isEmpty && silent.error.isEmpty, "\(silent)")
    let subtitles = try String(contentsOf: folder.file("out.srt"), encoding: .utf8)
    #expect(subtitles.hasSuffix("go forward 10 meters\n\n"), "\(subtitles)")
    let short = try await BuiltCommand.run(
      "listen", "-d", "virtual:long.wav", "--seconds", "1.2", "--json", in: folder)
    #expect(short.status == 0)
    let results = try UtteranceLine.results(of: short.outputLines)
    #expect(results.last?.text.hasPrefix("go") == true)
    #expect(results.last?.text.contains("meters") == false)
  }

  @Test(
    arguments: [
      ("go.wav", "use `syrinx transcribe`"), ("- -d virtual:a.wav", "exclude each other"),
      ("- --toggle", "--toggle requires a microphone"), ("--raw-input s16", "--raw-input requires"),
      ("--toggle --format vtt", "--toggle restarts"), ("--toggle --keep a.wav", "--keep and"),
      ("- --raw-input gsm", "decoded only after its end"),
      ("- --raw-input g722", "decoded only after its end"),
      ("-o talk.doc", "use the extension txt"), ("--threshold -20", "--threshold requires"),
      ("--seconds 0", "--seconds 0"),
    ])
  func `options of 'listen' that exclude each other are usage errors`(
    options: String, text: String
  ) async throws {
    let run = try await BuiltCommand.shell("syrinx listen \(options)", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(text), "\(run.error)")
  }

  private func reactions() throws -> String {
    try String(contentsOf: folder.file("out"), encoding: .utf8)
  }
}
