import ArgumentParser
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5))) struct ChannelOptionsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private func name(_ channel: Int?, _ names: String...) -> String? {
    var result = SpeechRecognitionResult("go", isFinal: true)
    result.channel = channel
    return SpeakerNames(names: names).name(of: result)
  }

  @Test(arguments: [
    ("agent, caller", ["agent", "caller"]), ("José,Anna Müller ", ["José", "Anna Müller"]),
    ("이서연,\u{1F426}", ["이서연", "\u{1F426}"]),
  ])
  func `speakers have names in any language, without spaces around them`(
    argument: String, names: [String]
  ) throws {
    let options = try ChannelOptions.parse(["--channels", "separate", "--speakers", argument])
    #expect(options.speakers == names)
  }

  @Test func `the channels of audio with more than two channels have numbers`() {
    var result = SpeechRecognitionResult("go", isFinal: true)
    (result.channel, result.channelCount) = (0, 4)
    #expect(SpeakerNames().name(of: result) == "Channel 1")
    #expect(SpeakerNames(names: ["agent"]).name(of: result) == "agent")
  }

  @Test func `speakers have the given names, and then the usual names of their channels`() {
    #expect([0, 1, 2].map { name($0) } == ["Left", "Right", "Channel 3"])
    #expect([0, 1, 2].map { name($0, "agent") } == ["agent", "Right", "Channel 3"])
    #expect([0, 2, 3].map { name($0, "a", "b", "c") } == ["a", "c", "Channel 4"])
    #expect(name(nil, "agent") == nil)
  }

  @Test(arguments: [
    ["--channels", "0"], ["--channels", "65"], ["--channels", "both"], ["--speakers", "a,b"],
    ["--channels", "mix", "--speakers", "a,b"], ["--channels", "separate", "--speakers", "a,,b"],
    ["--channels", "separate", "--speakers", " "], ["--channels", "separate", "--speakers", "a\n"],
    ["--channels", "separate", "--speakers", "a\u{202E},b"],
  ])
  func `invalid channels and speakers are refused`(arguments: [String]) {
    #expect(throws: (any Error).self) { try ChannelOptions.parse(arguments) }
  }

  /// Writes a stereo file with a speaker in each channel; the right one speaks second.
  private func writeCall() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      "sox go.wav late.wav pad 4 && sox -M go.wav late.wav call.wav", in: folder)
    try #require(run.status == 0, "\(run.error)")
  }

  @Test(arguments: [1, 2])
  func `separate channels are transcribed with their speakers`(jobs: Int) async throws {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      "syrinx transcribe call.wav --channels separate --jobs \(jobs)", in: folder)
    #expect(run.status == 0 && run.error.isEmpty)
    #expect(run.output == "Left: go forward 10 meters\nRight: go forward 10 meters\n")
  }

  @Test func `subtitles and JSON have the names of --speakers`() async throws {
    try await writeCall()
    let command = "syrinx transcribe call.wav --channels separate --speakers 'agent,the <caller>'"
    let run = try await BuiltCommand.shell(
      "\(command) -o a.vtt && \(command) -o a.srt && \(command) --json && cat a.vtt a.srt",
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output.contains("\n<v agent>go forward 10 meters\n"))
    #expect(run.output.contains("\n<v the &lt;caller&gt;>go forward 10 meters\n"))
    #expect(run.output.contains("\nthe <caller>: go forward 10 meters\n"))
    let lines = run.outputLines.filter { $0.contains(#""event":"final""#) }
    try #require(lines.count == 2)
    #expect(lines[0].contains(#"{"averagePause":"#) && lines[0].contains(#""channel":1,"#))
    #expect(lines[0].contains(#""speaker":"agent","#) && lines[0].contains(#""utterance":0,"#))
    #expect(lines[1].contains(#""channel":2,"#) && lines[1].contains(#""utterance":1,"#))
  }

  @Test func `one channel is transcribed without a speaker, and a missing channel is an error`()
    async throws
  {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      "syrinx transcribe call.wav --channels 2 --json", in: folder)
    #expect(run.status == 0 && run.error.isEmpty)
    let line = try UtteranceLine(try #require(run.outputLines.first))
    #expect(line.start > 4 && !run.output.contains("speaker"))
    let missing = try await BuiltCommand.shell(
      "syrinx transcribe call.wav go.wav --channels 2", in: folder)
    #expect(missing.status == 1 && missing.output == "call.wav: go forward 10 meters\n")
    #expect(missing.error.contains("go.wav: channel 2, counted from 1, is needed"))
  }

  @Test(arguments: [
    ("call.wav", true), ("call.wav --channels mix", false), ("go.wav", false),
    ("same.wav", false), ("half.wav", false),
  ])
  func `a notice names the option if two channels differ`(
    arguments: String, isNoticed: Bool
  ) async throws {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      """
      sox -M go.wav go.wav same.wav && sox -M go.wav '|sox go.wav -p vol 0' half.wav
      syrinx transcribe \(arguments)
      """, in: folder)
    #expect(run.status == 0)
    let notice =
      "call.wav: the channels differ. Use --channels separate if each has its own speaker"
    #expect(run.errorLines.count == (isNoticed ? 1 : 0), "\(run.error)")
    #expect(run.error.contains(notice) == isNoticed)
  }

  @Test func `mono files have no speakers`() async throws {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      "syrinx transcribe go.wav call.wav --channels separate --jobs 2", in: folder)
    let lines = ["go.wav: ", "call.wav: Left: ", "call.wav: Right: "]
    #expect(run.output == lines.map { "\($0)go forward 10 meters\n" }.joined())
  }

  @Test func `'listen' transcribes and keeps one channel of a microphone`() async throws {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      "syrinx listen -d virtual:call.wav --channels 2 --keep kept.wav && soxi -c kept.wav",
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "go forward 10 meters\n1\n")
  }

  @Test func `'listen' transcribes the channels of a microphone`() async throws {
    try await writeCall()
    let run = try await BuiltCommand.shell(
      "syrinx listen -d virtual:call.wav --channels separate --keep kept.wav && soxi -c kept.wav",
      in: folder)
    #expect(run.status == 0, "\(run.error)")
    #expect(run.output == "Left: go forward 10 meters\nRight: go forward 10 meters\n2\n")
  }
}
