import SoundFile
import AudioCore
import Foundation
import TestTools
import Testing

@Suite(.timeLimit(.minutes(5)))
struct TranscribeCommandTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `--null without a list or a folder of transcripts is a usage error`() async throws {
    let run = try await BuiltCommand.run("transcribe", "a.wav", "--null", in: folder)
    #expect(run.status == 64)
    #expect(run.error.contains("--null requires --files-from or --output-dir"), "\(run.error)")
  }

  @Test
  func `'transcribe' prints a line of text for each utterance and nothing else`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run("transcribe", "go.wav", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
    #expect(run.error.isEmpty)
  }

  @Test
  func `JSON contains words, times, and confidences, in the order of the files`() async throws {
    try folder.speech("one.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "two.wav", "one.wav", "--json", in: folder)
    #expect(run.status == 0)
    let lines = try run.outputLines.map(UtteranceLine.init)
    #expect(lines.map(\.file) == ["two.wav", "two.wav", "one.wav"])
    #expect(lines.map(\.utterance) == [0, 1, 0])
    let last = try #require(lines.last)
    #expect(last.final && last.text == "go forward 10 meters")
    #expect(last.words.map(\.word).joined(separator: " ") == last.text)
    #expect(last.start == last.words.first?.start && last.end == last.words.last?.end)
    for word in last.words {
      #expect(word.start < word.end)
      #expect((0...1).contains(try #require(word.confidence)))
    }
  }

  @Test
  func `'transcribe' reports an unreadable file and continues with the next one`() async throws {
    try folder.speech("go.wav")
    try Data().write(to: folder.file("empty.wav"))
    try Data("hello\n".utf8).write(to: folder.file("text.wav"))
    try FileManager.default.createDirectory(
      at: folder.file("none"), withIntermediateDirectories: false)
    let run = try await BuiltCommand.run(
      "transcribe", "missing.wav", "none", "empty.wav", "text.wav", "go.wav", in: folder)
    #expect(run.status == 1)
    #expect(run.output == "go.wav: go forward 10 meters\n")
    let reports = run.errorLines.filter { $0.hasPrefix("syrinx: ") }
    try #require(reports.count == 4)
    #expect(
      reports[0].contains("missing.wav") && reports[1].contains("none contains no sound files"))
    #expect(reports[2].contains("empty.wav is empty") && reports[3].contains("text.wav"))
  }

  @Test
  func `with --json, 'transcribe' prints an object for each file that failed`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await BuiltCommand.run(
      "transcribe", "missing.wav", "cut.wav", "--json", in: folder)
    #expect(run.status == 1)
    #expect(
      run.outputLines.filter { $0.contains(#""event":"failed""#) } == [
        #"{"error":"there is no \#(folder.file("missing.wav").path); check the name and its folder","#
          + #""event":"failed","file":"missing.wav"}"#,
        #"{"error":"not all of the audio was transcribed","event":"failed","file":"cut.wav"}"#,
      ])
  }

  @Test
  func `'transcribe' transcribes and reports a truncated file`() async throws {
    try folder.truncatedTone("cut.wav", bytes: 80 + 2 * 1_600)
    let run = try await BuiltCommand.run("transcribe", "cut.wav", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("0.900 s of 1.000 s are missing"))
  }

  @Test
  func `'transcribe -' reads standard input`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell("cat go.wav | syrinx transcribe -", in: folder)
    #expect(run.status == 0)
    #expect(run.output == "go forward 10 meters\n")
  }

  @Test
  func `silence is neither an utterance nor an error`() async throws {
    let run = try await BuiltCommand.shell(
      "sox -n -r 16000 -c 1 silence.wav trim 0 1 && syrinx transcribe silence.wav", in: folder)
    #expect(run.status == 0)
    #expect(run.output.isEmpty)
  }

  @Test
  func `the error for a model folder that does not exist names the folder`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.run(
      "transcribe", "a.wav", "a.wav", in: folder,
      environment: ["SYRINX_POCKETSPHINX_MODEL": folder.file("nowhere").path])
    #expect(run.status == 1)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("\(folder.file("nowhere").path): the folder does not exist"))
  }

  @Test
  func `a command ends quietly when its reader goes away`() async throws {
    try folder.speech("go.wav")
    // The second file arrives only after the reader is gone.
    let run = try await BuiltCommand.shell(
      """
      mkfifo gate
      syrinx transcribe go.wav - <gate |
        { exec 3>gate; head -1; exec 0<&-; cat go.wav >&3; }
      """, in: folder)
    #expect(run.status == 141)
    #expect(run.output == "go.wav: go forward 10 meters\n")
    #expect(run.error.isEmpty)
  }

  @Test
  func `a full standard output is an error of 'transcribe'`() async throws {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell("syrinx transcribe go.wav >/dev/full", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("cannot write standard output: No space left"))
  }

  @Test
  func `SIGTERM ends 'transcribe' at once with status 143`() async throws {
    let run = try await BuiltCommand.shell(
      """
      mkfifo pipe; exec 3<>pipe
      syrinx transcribe pipe & transcriber=$!
      kill -TERM $transcriber; wait $transcriber
      """, in: folder)
    #expect(run.status == 143)
  }

  @Test(arguments: ["INT", "TERM"])
  func `a signal leaves only complete transcripts`(signal: String) async throws {
    try folder.speech("go.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    // A pipe holds fewer than 150,000 bytes, so `head` ends only once the second file is being read.
    let run = try await BuiltCommand.shell(
      """
      mkdir out; mkfifo gate; exec 3<>gate; echo old >out/stdin.txt
      syrinx transcribe go.wav - --jobs 1 --output-dir out <gate & transcriber=$!
      head -c 150000 two.wav >&3
      kill -\(signal) $transcriber; wait $transcriber; status=$?
      ls -A out; cat out/stdin.txt; exit $status
      """, in: folder)
    #expect(run.status == (signal == "INT" ? 130 : 143), "\(run.error)")
    #expect(run.outputLines == ["go.txt", "manifest.jsonl", "stdin.txt", "old"])
  }

  @Test
  func `a usage error has status 64, and its message names the argument`() async throws {
    #expect(try await BuiltCommand.run("transcribe", in: folder).status == 64)
    #expect(try await BuiltCommand.run("transcribe", "-", "-", in: folder).status == 64)
  }

  @Test
  func `a file with an impossible rate is reported by name, and the next file is transcribed`()
    async throws
  {
    let slow = AudioFormat(sampleRate: 50, channelCount: 1)
    let writer = try SoundFileWriter(url: folder.file("slow.wav"), format: slow, encoding: .wav16)
    try writer.write(AudioBuffer(silence: 100, format: slow))
    try writer.close()
    let spoken = ALSASetup.sample("go-forward.wav")
    let run = try await BuiltCommand.run("transcribe", "slow.wav", spoken, in: folder)
    #expect(run.status == 1)
    #expect(run.output == "\(spoken): go forward 10 meters\n")
    #expect(run.errorLines.count == 1 && run.error.contains("slow.wav"), "\(run.error)")
  }

  @Test func `a virtual microphone refuses a file whose header has an absurd rate`() async throws {
    var bytes = try Data(contentsOf: try folder.tone("absurd.wav", .milliseconds(100)))
    let rate = try #require(bytes.firstRange(of: Data("fmt ".utf8))).lowerBound + 12
    bytes.replaceSubrange(rate..<(rate + 4), with: [0xFF, 0xFF, 0xFF, 0x7F])
    try bytes.write(to: folder.file("absurd.wav"))
    let run = try await BuiltCommand.run(
      "listen", "--device", "virtual:absurd.wav", in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("2147483647 Hz"), "\(run.error)")
  }

  @Test func `'transcribe' and 'record' fail if the input file has no frames`() async throws {
    let writer = try SoundFileWriter(
      url: folder.file("none.wav"), format: .speech, encoding: .wav16)
    try writer.close()
    let transcribed = try await BuiltCommand.run("transcribe", "none.wav", in: folder)
    #expect(transcribed.status == 1)
    #expect(transcribed.error.contains("none.wav holds no audio"), "\(transcribed.error)")
    let recorded = try await BuiltCommand.run(
      "record", "out.wav", "--device", "virtual:none.wav", in: folder)
    #expect(recorded.status == 1)
    #expect(recorded.error.contains("before it captured any audio"), "\(recorded.error)")
  }
}
