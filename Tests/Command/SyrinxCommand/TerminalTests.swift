import AudioCore
import SoundFile
import TestTools
import Testing

/// Runs the command on a terminal, created by `script` of util-linux.
@Suite(.timeLimit(.minutes(5)))
struct TerminalTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `on a terminal, 'play' shows its device and rewrites one line with the time`() async throws {
    try folder.tone("a.wav", .milliseconds(500))
    let shown = try await shown("syrinx play a.wav -d virtual")
    #expect(shown.contains("a.wav on virtual (16000 Hz, mono)"))
    let times = shown.split(separator: "\r").filter { $0.contains(" / 0:00.5") }
    #expect((2...7).contains(times.count))
    #expect(times.last?.hasPrefix("0:00.5 / 0:00.5") == true)
  }

  @Test
  func `on a terminal, 'record' shows time and level`() async throws {
    try folder.tone("a.wav", .milliseconds(500))
    let shown = try await shown("syrinx record out.wav -d virtual:a.wav")
    #expect(shown.contains("recording from virtual:a.wav (16000 Hz, mono)"))
    #expect(shown.contains("[##################  ] -6.0 dBFS"))
    #expect(shown.contains("\r0:00.5 recorded"))
  }

  @Test
  func `on a terminal, 'listen' rewrites one line with partial results and the final result`()
    async throws
  {
    try folder.speech("go.wav")
    let shown = try await shown("syrinx listen --partials -d virtual:go.wav")
    let lines = shown.split(separator: "\r\n")
    #expect(lines.first == "listening to virtual:go.wav (16000 Hz, mono); press Ctrl-C to stop")
    let rewritten = try #require(lines.last).split(separator: "\r")
    #expect(rewritten.count > 1)
    #expect(rewritten.last?.hasPrefix("go forward") == true)
  }

  @Test
  func `'listen' does not announce a microphone that it cannot open`() async throws {
    let shown = try await shown("syrinx listen -d virtual:nowhere.wav", status: 1)
    #expect(!shown.contains("listening"), "\(shown)")
  }

  @Test
  func `'record -' refuses to write audio to a terminal`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let shown = try await shown("syrinx record - -d virtual:a.wav", status: 64)
    #expect(shown.contains("terminal"))
  }

  @Test
  func `on a terminal, the key q ends a playback, and the echo of typed text is restored`()
    async throws
  {
    try folder.tone("a.wav", .seconds(50))
    let run = try await BuiltCommand.shell(
      """
      printf q | script -qec 'timeout --foreground 60 syrinx play a.wav --loop forever -d virtual
      echo "status $?"; stty -a' /dev/null
      """, in: folder)
    #expect(run.status == 0 && !run.output.contains("status 124"), "\(run.output)")
    #expect(run.output.contains("status 0"))
    #expect(run.output.contains(" icanon ") && run.output.contains(" echo "), "\(run.output)")
  }

  @Test func `on a terminal, the key q ends a recording, whose file is complete`() async throws {
    try folder.tone("a.wav", .seconds(50))
    let run = try await BuiltCommand.shell(
      """
      printf q | script -qec 'timeout --foreground 60 syrinx record b.wav -d virtual:a.wav
      echo "status $?"; stty -a' /dev/null
      """, in: folder)
    #expect(run.output.contains("status 0"), "\(run.output)")
    #expect(run.output.contains(" icanon ") && run.output.contains(" echo "), "\(run.output)")
  }

  @Test func `on a terminal, the key ? shows the keys, and so does the help`() async throws {
    try folder.tone("a.wav", .seconds(50))
    let run = try await BuiltCommand.shell(
      """
      printf '?q' | script -qec 'timeout --foreground 60 syrinx play a.wav --loop forever -d virtual' /dev/null
      """, in: folder)
    #expect(run.output.contains("keys: space (pause), left and right (5 s)"), "\(run.output)")
    let help = try await BuiltCommand.shell("syrinx play --help", in: folder)
    #expect(help.output.contains("\n\nKeys:\n  space         pause and resume\n"), "\(help.output)")
  }

  @Test func `on a terminal, the artist and title of a file follow its name`() async throws {
    let tone = AudioSignal.sine(300, amplitude: 0.1).buffer(.milliseconds(100), format: .speech)
    let writer = try SoundFileWriter(
      url: folder.file("a.flac"), format: .speech, encoding: .flac16,
      metadata: AudioMetadata(tags: [.title: ["Lark\nascending"], .artist: ["Ann"]]))
    try writer.write(tone)
    try writer.close()
    try folder.tone("b.wav", .milliseconds(100))
    let shown = try await shown("syrinx play a.flac b.wav -d virtual")
    #expect(shown.contains(#"a.flac (Ann: Lark\nascending) on virtual ("#), "\(shown)")
    #expect(shown.contains(#/b\.wav\s/#), "\(shown)")
  }

  @Test(arguments: ["doctor", "engines"])
  func `on a narrow terminal, lines are wrapped between words`(command: String) async throws {
    let run = try await BuiltCommand.shell(
      "script -qec 'stty cols 40; syrinx \(command)' /dev/null", in: folder)
    let piped = try await BuiltCommand.shell("syrinx \(command)", in: folder)
    let words = Set((piped.output + piped.error).split(whereSeparator: \.isWhitespace))
    let lines = run.output.split(whereSeparator: \.isNewline)
    #expect(lines.count > piped.outputLines.count)
    for line in lines {
      let parts = line.split(whereSeparator: \.isWhitespace)
      #expect(line.count <= 40 || parts.count == 1, "\(line)")
      // Numbers such as the free memory differ from run to run.
      #expect(parts.allSatisfy { part in words.contains(part) || part.contains(where: \.isNumber) })
    }
  }

  @Test
  func `--quiet shows neither the device nor the time`() async throws {
    try folder.tone("a.wav", .milliseconds(300))
    #expect(try await shown("syrinx play a.wav -d virtual --quiet") == "")
  }

  @Test(arguments: ["dumb", ""])
  func `a terminal of type 'dumb' or without a type gets notices and a summary, but no status line`(
    type: String
  ) async throws {
    try folder.tone("a.wav", .milliseconds(500))
    let played = try await shown("syrinx play a.wav -d virtual", terminalType: type)
    #expect(played == "a.wav on virtual (16000 Hz, mono)\r\n")
    let recorded = try await shown("syrinx record out.wav -d virtual:a.wav", terminalType: type)
    #expect(
      recorded.split(separator: "\r\n") == [
        "recording from virtual:a.wav (16000 Hz, mono); press Ctrl-C to stop",
        "0:00.5 recorded, peak -6.0 dBFS, RMS -9.0 dBFS, nothing clipped",
      ])
    #expect(!(played + recorded).contains("\u{1B}"))
  }

  @Test
  func `on a terminal of 20 columns, the summary of 'record' is complete`() async throws {
    try folder.tone("a.wav", .milliseconds(500))
    let shown = try await shown("stty cols 20; syrinx record out.wav -d virtual:a.wav")
    #expect(
      shown.hasSuffix("\r0:00.5 recorded, peak -6.0 dBFS, RMS -9.0 dBFS, nothing clipped\r\n"))
  }

  private func shown(
    _ command: String, status: Int32 = 0, terminalType: String = "xterm"
  ) async throws -> String {
    let run = try await BuiltCommand.shell(
      "script -qec '\(command)' /dev/null", in: folder, environment: ["TERM": terminalType])
    #expect(run.status == status)
    return run.output
  }
}
