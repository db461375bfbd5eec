#if Plots
import AudioCore
import AudioPlots
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct PlotCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["png", "svg", "pdf"])
  func `'plot' writes the format that the file extension selects`(name: String) async throws {
    try folder.tone("a.wav", .milliseconds(500))
    for options in ["", "--spectrogram --scale mel"] {
      let run = try await BuiltCommand.shell(
        "syrinx plot a.wav -o a.\(name) \(options)", in: folder)
      #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
      #expect(try Data(contentsOf: folder.file("a.\(name)")).count > 1_000)
    }
  }

  @Test(arguments: [("", 2_096), ("--height 300", 300)])
  func `a plot of 64 channels is higher than usual, unless its height is set`(
    options: String, height: Int
  )
    async throws
  {
    let format = AudioFormat(sampleRate: 8_000, channelCount: 64)
    try folder.noise("a.wav", .milliseconds(100), format: format)
    for flag in ["", "--spectrogram"] {
      let run = try await BuiltCommand.shell(
        "syrinx plot a.wav -o a.png \(options) \(flag)", in: folder)
      #expect(run.status == 0, "\(run.error)")
      // A PNG has its height in bytes 20 to 23, with the most significant byte first.
      let bytes = try Data(contentsOf: folder.file("a.png"))[20..<24]
      #expect(bytes.reduce(0) { $0 << 8 | Int($1) } == height)
    }
  }

  @Test
  func `without a terminal, 'plot' draws Braille characters with an axis and cues`() async throws {
    try folder.tone("a.wav", .milliseconds(500))
    try Data("1\n00:00:00,100 --> 00:00:00,400\nHello.\n".utf8).write(to: folder.file("a.srt"))
    let run = try await BuiltCommand.run("plot", "a.wav", "--transcript", "a.srt", in: folder)
    #expect(run.status == 0, "\(run.error)")
    let lines = run.outputLines
    #expect(lines.first == "a.wav (16000 Hz, mono)" && lines.last == "0:00.1 Hello.")
    #expect(lines.contains { $0.hasPrefix("0:00 ") && $0.hasSuffix("0:00.5") })
    #expect(
      lines[1...8].allSatisfy {
        $0.unicodeScalars.allSatisfy { (0x2800...0x28FF).contains($0.value) }
      })
  }

  @Test
  func `--data writes peaks to standard output`() async throws {
    try folder.tone("a.wav", .milliseconds(500))
    let run = try await BuiltCommand.run("plot", "a.wav", "--data", "json", in: folder)
    #expect(run.output.hasPrefix("{\"version\":2,\"channels\":1,\"sample_rate\":16000,"))
  }

  @Test
  func `a failure leaves the earlier plot unchanged, and a usage error has status 64`() async throws
  {
    try Data("text".utf8).write(to: folder.file("a.wav"))
    try Data("old".utf8).write(to: folder.file("a.png"))
    let run = try await BuiltCommand.run("plot", "a.wav", "-o", "a.png", in: folder)
    #expect(run.status == 1 && run.error.contains("a.wav"))
    #expect(try Data(contentsOf: folder.file("a.png")) == Data("old".utf8))
    let wrong = try await BuiltCommand.run("plot", "a.wav", "-o", "a.gif", in: folder)
    #expect(wrong.status == 64 && wrong.error.contains("png, svg, or pdf"))
  }

  @Test
  func `writing to a link replaces the link's target, keeps its permissions, and keeps the link`()
    async throws
  {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await BuiltCommand.shell(
      """
      echo old >target.png && chmod 600 target.png && ln -s target.png link.png &&
      syrinx plot a.wav -o link.png && readlink link.png && stat -c %a target.png
      """, in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "target.png\n600\n")
    #expect(try Data(contentsOf: folder.file("target.png")).count > 1_000)
  }

  @Test
  func `data can be written to a named pipe, which is not replaced, and to a shell's pipe`()
    async throws
  {
    try folder.tone("a.wav", .milliseconds(200))
    let run = try await BuiltCommand.shell(
      """
      mkfifo p.png && { cat p.png >got.png & } && syrinx plot a.wav -o p.png && wait $! &&
      test -p p.png && syrinx plot a.wav --data json -o >(cat >got.json) && wait $!
      """, in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(try Data(contentsOf: folder.file("got.png")).count > 1_000)
    let peaks = try String(contentsOf: folder.file("got.json"), encoding: .utf8)
    #expect(peaks.hasPrefix("{\"version\":2,"))
  }

  @Test
  func `several files are plotted to a folder, even if one of them fails`()
    async throws
  {
    for name in ["a.wav", "b.wav"] { try folder.tone(name, .milliseconds(200)) }
    try Data("text".utf8).write(to: folder.file("c.wav"))
    let run = try await BuiltCommand.shell(
      "syrinx plot a.wav c.wav b.wav --output-dir plots --to svg --json", in: folder)
    #expect(run.status == 1 && run.outputLines.count == 3)
    #expect(run.outputLines.map { $0.hasPrefix(#"{"error":"#) } == [false, true, false])
    #expect(run.errorLines.count == 1 && run.error.contains("c.wav"), "\(run.error)")
    let plots = try FileManager.default.contentsOfDirectory(
      atPath: folder.file("plots").path)
    #expect(plots.sorted() == ["a.svg", "b.svg"])
    let peaks = try await BuiltCommand.shell(
      "syrinx plot a.wav b.wav --output-dir plots --data json", in: folder)
    #expect(peaks.status == 0, "\(peaks.error)")
    #expect(FileManager.default.fileExists(atPath: folder.file("plots").path + "/b.json"))
  }

  @Test
  func `plot --json prints an object for each plot`() async throws {
    for name in ["a.wav", "b.wav"] { try folder.tone(name, .milliseconds(500)) }
    let run = try await BuiltCommand.shell(
      """
      syrinx plot a.wav b.wav --output-dir plots --to svg --width 300 --json &&
      syrinx plot a.wav -o a.png --spectrogram --format json &&
      syrinx plot a.wav -o a.dat --data dat --json
      """, in: folder)
    #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
    struct Line: Decodable {
      let file, output, kind, format: String
      let width, height, cues: Int?
      let rate, channelCount: Int
      let length: Double
    }
    let lines = try run.outputLines.map {
      try JSONDecoder().decode(Line.self, from: Data($0.utf8))
    }
    #expect(lines.map(\.file) == ["a.wav", "b.wav", "a.wav", "a.wav"])
    #expect(lines.map(\.kind) == ["waveform", "waveform", "spectrogram", "peaks"])
    #expect(lines.map(\.format) == ["svg", "svg", "png", "dat"])
    #expect(lines.map(\.width) == [300, 300, 1_200, nil])
    #expect(lines.map(\.height) == [400, 400, 400, nil] && lines.first?.cues == 0)
    #expect(lines.allSatisfy { $0.rate == 16_000 && $0.channelCount == 1 && $0.length == 0.5 })
    #expect(lines.allSatisfy { FileManager.default.fileExists(atPath: $0.output) })
    #expect(lines.last?.output.hasPrefix("/") == true)
  }

  @Test
  func `without an output folder, several files are drawn one after the other`() async throws {
    for name in ["a.wav", "b.wav"] { try folder.tone(name, .milliseconds(200)) }
    let run = try await BuiltCommand.run("plot", "a.wav", "b.wav", in: folder)
    #expect(run.status == 0, "\(run.error)")
    let titles = run.outputLines.filter { $0.hasSuffix("(16000 Hz, mono)") }
    #expect(titles == ["a.wav (16000 Hz, mono)", "b.wav (16000 Hz, mono)"])
  }

  @Test(arguments: [
    ("a.wav b.wav -o a.png", "take one file, not 2"),
    ("a.wav x/a.flac --output-dir plots", "their plots would be one file"),
    ("a.wav b.wav --data json", "need --output-dir"), ("a.wav --to svg", "requires --output-dir"),
    ("- --output-dir plots", "has no name"),
    ("a.wav -o a.png --output-dir plots", "exclude each other"),
    ("a.wav --output-dir plots --to gif", "--to"),
    ("a.wav -o a.wav", "is an input"),
    ("a.wav --transcript a.png --output-dir .", "./a.png is an input"),
    ("a.wav --scale mel", "--scale requires --spectrogram"),
    ("a.wav --bits 8", "--bits requires --data"),
    ("a.wav --samples-per-pixel 64 -o a.png", "--samples-per-pixel requires --data"),
    ("a.wav --data json --spectrogram", "--spectrogram has no effect"),
    ("a.wav --data json --height 200", "--height has no effect"),
    ("a.wav --data json --transcript a.srt", "--transcript has no effect"),
    ("a.wav --data json -o p.dat", "another extension than --data json; name a .json file"),
    ("a.wav --data dat -o p.png", "another extension than --data dat; name a .dat file"),
    ("a.wav --json", "cannot take the plot and --json"),
    ("a.wav -o - --json", "cannot take the plot and --json"),
  ])
  func `outputs that do not match the number of files are a usage error`(
    arguments: String, reason: String
  ) async throws {
    let run = try await BuiltCommand.shell("touch a.png; syrinx plot \(arguments)", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains(reason), "\(run.error)")
  }

  @Test
  func `cues are read from WebVTT, SRT, and JSON lines`() {
    let expected = [PlotFrame.Cue(.seconds(1)..<(.milliseconds(2_500)), "Go forward.")]
    #expect(
      TranscriptCues("WEBVTT\n\n00:01.000 --> 00:02.500 align:start\nGo\nforward.\n\n").cues
        == expected)
    #expect(
      TranscriptCues("1\r\n00:00:01,000 --> 00:00:02,500\r\nGo forward.\r\n").cues == expected)
    let json = """
      {"event":"partial","final":false,"text":"Go","start":1,"end":1.2}
      {"event":"final","final":true,"text":"Go forward.","start":1,"end":2.5}
      {"event":"lag"}
      """
    #expect(TranscriptCues(json).cues == expected)
    #expect(TranscriptCues("just text").cues.isEmpty)
  }

  @Test(arguments: ["", "\u{FEFF}"])
  func `cues with special characters are read exactly as they were written`(mark: String) {
    let cue = Cue(start: .seconds(1), end: .seconds(2), lines: ["AT&T <x>", "&lt; is a < b"])
    let expected = [PlotFrame.Cue(.seconds(1)..<(.seconds(2)), "AT&T <x> &lt; is a < b")]
    for format in [CueFormat.vtt, .srt] {
      let header = format.header.map { "\(mark)\($0)\n" } ?? ""
      #expect(TranscriptCues(header + format.text(of: cue, number: 1)).cues == expected)
    }
  }

  @Test(arguments: ["", "WEBVTT\n\n"])
  func `the tags of cues are not drawn, but other text in angle brackets is`(header: String) {
    let text = """
      00:00:01.000 --> 00:00:02.000
      <v Ann><b>Go</b> <FONT color="red">far</FONT> <c.loud.red>now</c> <00:00:01.500><i>if</i>
      a <x> b < c <big> <> d>
      """
    #expect(
      TranscriptCues(header + text).cues.map(\.text) == ["Go far now if a <x> b < c <big> <> d>"])
  }

  @Test(arguments: [
    "WEBVTT\n00:01.000 --> inf:00\nGo\n\n00:01.000 --> 00:02.000\nforward.\n",
    "WEBVTT\n00:02.000 --> 00:01.000\nGo\n\n00:01.000 --> 00:02.000\nforward.\n",
    """
    {"event":"lag"}
    {"final":true,"text":"Go","start":1,"end":1e300}
    {"final":true,"text":"forward.","start":1,"end":2}
    """,
  ])
  func `a cue with impossible times is skipped, and the line number is reported`(text: String) {
    let cues = TranscriptCues(text)
    #expect(cues.badLines == [2])
    #expect(cues.cues == [PlotFrame.Cue(.seconds(1)..<(.seconds(2)), "forward.")])
  }

  @Test
  func `the response of a terminal selects the picture format`() {
    #expect(TerminalGraphics(answer: "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c") == .kitty)
    #expect(TerminalGraphics(answer: "\u{1B}[?62;4;22c") == .sixel)
    #expect(TerminalGraphics(answer: "\u{1B}[?64;14c") == .braille)
    #expect(TerminalGraphics(answer: "") == .braille)
  }

  @Test
  func `a picture for kitty graphics is sent in pieces, and the last piece is marked`() {
    let text = TerminalGraphics.kittyText(Array(repeating: 0, count: 6_000))
    #expect(text.hasPrefix("\u{1B}_Ga=T,f=100,m=1;") && text.contains("\u{1B}_Gm=0;"))
    #expect(text.count { $0 == ";" } == 2)
  }
}
#endif
