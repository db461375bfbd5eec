import AudioCore
import ClientDependencies
import FilePaths
import Foundation
import SpeechClient
import SpeechEngine
import TestTools
import Testing
import SpeechServer

@testable import SyrinxCommand

struct ConsoleTests {
  let folder: TestFolder
  let output: TestFolder.Output
  let error: TestFolder.Output
  let console: Console

  init() throws {
    folder = try TestFolder()
    (output, error) = (try folder.output(), try folder.output())
    console = try Console(
      output: OutputDescriptor(rawValue: output.handle.fileDescriptor, name: "standard output"),
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
  }

  @Test
  func `data goes to standard output and messages to standard error, in order and unbuffered`()
    async throws
  {
    try await console.print("one")
    await console.report("trouble")
    try await console.print("two")
    #expect(try output.text() == "one\ntwo\n")
    #expect(try error.text() == "syrinx: trouble\n")
  }

  @Test
  func `a line break and control characters in a message do not begin another line`() async throws {
    await console.report("tag \"a\nsyrinx: all is well\r\u{1B}[2J\t\u{2028}\"")
    await console.summarize("one\ntwo")
    let lines = [
      #"syrinx: tag "a\nsyrinx: all is well\x0D\x1B[2J\t\u{2028}""#, #"one\ntwo"#,
    ]
    #expect(try error.text() == lines.map { $0 + "\n" }.joined())
  }

  @Test
  func `the JSON log of a server contains the reason for lost audio as a name and in a sentence`()
    async throws
  {
    let log = withDependencies {
      $0.date = .constant(Date(timeIntervalSince1970: 0))
    } operation: {
      ServerLog(console: console, format: .json, onlyErrors: false)
    }
    await log.write(.dropped(client: 7, .seconds(1) ..< .seconds(2), reason: .unintelligible))
    let line =
      #"{"client":7,"end":2,"event":"dropped","reason":"unintelligible","start":1,"#
      + #""text":"1.000 s of audio at 0:01.0 has no plausible words","time":"1970-01-01T00:00:00Z"}"#
    #expect(try error.text() == line + "\n")
  }

  @Test
  func `without a terminal there is no status line`() async throws {
    #expect(!console.isWatched)
    await console.showStatus("0:01")
    await console.showVolatile("go", tail: "on")
    await console.notifyTerminal("playing")
    await console.keepStatus()
    #expect(try error.text().isEmpty)
  }

  @Test
  func `a console prints a summary even without a terminal, unless it is quiet`() async throws {
    await console.summarize("0:01.0 recorded")
    #expect(try error.text() == "0:01.0 recorded\n")
    let quiet = try Console(
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"),
      isQuiet: true)
    await quiet.summarize("0:02.0 recorded")
    #expect(try error.text() == "0:01.0 recorded\n")
  }

  @Test
  func `partial results go to standard output only as JSON`() async throws {
    let words = [TranscriptionSegment(substring: "go", timestamp: .zero, duration: .seconds(1))]
    var result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: words), isFinal: false)
    var text = TranscriptReport(styles: [.text], console: console)
    try await text.show(result)
    #expect(try output.text().isEmpty)
    var json = TranscriptReport(styles: [.json], console: console)
    try await json.show(result)
    #expect(try output.text() == JSONRecord(result).jsonLine() + "\n")
    result.isFinal = true
    try await text.show(result)
    #expect(try output.text().hasSuffix("\ngo\n"))
  }

  @Test
  func `a lost utterance is reported with its file, and in JSON with its number`()
    async throws
  {
    let words = [TranscriptionSegment(substring: "go", timestamp: .zero, duration: .seconds(1))]
    let partial = SpeechRecognitionResult(
      utterance: 3, bestTranscription: Transcription(segments: words), isFinal: false)
    let crash = SpeechRecognitionEvent.DropReason.engineFailed(.engineFailed(reason: "crash"))
    var report = TranscriptReport(styles: [.json], file: "a.wav", console: console)
    #expect(report.isComplete)
    for event in [
      SpeechRecognitionEvent.speechStarted(at: .zero), .result(partial),
      .dropped(.zero ..< .seconds(1), reason: crash), .speechEnded(at: .seconds(1)),
      .speechStarted(at: .seconds(2)), .dropped(.seconds(2) ..< .seconds(3), reason: crash),
    ] {
      try await report.show(event)
    }
    #expect(!report.isComplete)
    let records = try output.text().split(separator: "\n").dropFirst()
    #expect(
      records == [
        #"{"end":1,"error":"speech recognition failed: crash","event":"dropped","file":"a.wav","#
          + #""reason":"engine","start":0,"utterance":3}"#,
        #"{"end":3,"error":"speech recognition failed: crash","event":"dropped","file":"a.wav","#
          + #""reason":"engine","start":2}"#,
      ])
    let lines = try error.text().split(separator: "\n")
    #expect(
      lines.first
        == "syrinx: a.wav: 1.000 s of audio at 0:00.0 was dropped: speech recognition failed: crash"
    )
  }

  @Test
  func `an unintelligible utterance appears only in the JSON and is not a failure`()
    async throws
  {
    var report = TranscriptReport(styles: [.json], console: console)
    try await report.show(.dropped(.zero ..< .seconds(1), reason: .unintelligible))
    try await report.end()
    #expect(report.isComplete)
    #expect(try output.text().contains(#""reason":"unintelligible""#))
    #expect(try error.text().isEmpty)
  }

  @Test
  func `a language notice contains the file name and is written once`() async throws {
    var engine = SpeechEngine()
    engine.name = "moonshine"
    engine.availability = { .ready(SpeechModel(language: "en", location: "/m")) }
    let word = TranscriptionSegment(
      substring: "word", timestamp: .zero, duration: .seconds(11), confidence: 0.1)
    let result = SpeechRecognitionResult(
      utterance: 0, bestTranscription: Transcription(segments: [word]), isFinal: true)
    var report = TranscriptReport(
      styles: [.text], file: "a.wav", languageNotice: LanguageNotice(engine: engine),
      console: console)
    for _ in 0..<2 { try await report.show(.result(result)) }
    let lines = try error.text().split(separator: "\n")
    #expect(lines.count == 1)
    #expect(lines.first?.hasPrefix("syrinx: a.wav: many words are probably wrong") == true)
  }

  @Test
  func
    `a large lag, each loss with its reason, and the end of the lag are each reported once`()
    async throws
  {
    let events: [SpeechRecognitionEvent] = [
      .speechStarted(at: .zero), .lagging(by: .seconds(2)), .lagging(by: .seconds(6)),
      .lagging(by: .seconds(7)),
      .dropped(.seconds(61) ..< .milliseconds(62_500), reason: .engineTooSlow),
      .dropped(.seconds(63) ..< .seconds(64), reason: .gap),
      .dropped(.seconds(65) ..< .seconds(67), reason: .engineFailed(.unavailable(reason: "gone"))),
      .lagging(by: .zero),
      .lagging(by: .seconds(1)), .lagging(by: .zero), .speechEnded(at: .zero),
    ]
    var text = TranscriptReport(styles: [.text], console: console)
    for event in events { try await text.show(event) }
    #expect(try output.text().isEmpty)
    let lines = try error.text().split(separator: "\n")
    #expect(
      lines == [
        "syrinx: recognition lags 6.000 s behind; is this machine too slow or busy?",
        "syrinx: 1.500 s of audio at 1:01.0 was dropped: recognition lags too far behind",
        "syrinx: 1.000 s of audio at 1:03.0 was lost during capture: "
          + "the device stopped, or this machine is too slow or busy",
        "syrinx: 2.000 s of audio at 1:05.0 was dropped: speech cannot be recognized: gone",
        "syrinx: recognition has caught up",
      ])
    for tenth in 0..<5 {
      let begin = Duration.seconds(70) + .milliseconds(tenth * 100)
      try await text.show(.dropped(begin..<begin + .milliseconds(10), reason: .gap))
    }
    #expect(try error.text().split(separator: "\n").count == 6)
    try await text.end()
    #expect(
      try error.text().split(separator: "\n").last
        == "syrinx: 0.040 s of audio in 4 places from 1:10.1 on was lost during capture: "
        + "the device stopped, or this machine is too slow or busy")
    var json = TranscriptReport(styles: [.json], console: console)
    for event in events { try await json.show(event) }
    let records = try output.text().split(separator: "\n")
    #expect(records.count == 9)
    #expect(
      records.dropFirst(3).first == #"{"end":62.5,"event":"dropped","reason":"slow","start":61}"#)
  }
}

@Suite(.timeLimit(.minutes(5)))
struct OutputDescriptorTests {
  @Test
  func `a text longer than a pipe's buffer arrives whole, even if the pipe is non-blocking`()
    async throws
  {
    let pipe = Pipe()
    let writing = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "0123456789", count: 50_000)
    let reading = pipe.fileHandleForReading
    let (received, continuation) = AsyncThrowingStream<Data?, any Error>.makeStream()
    // A separate thread reads, because with few threads in the pool, the writer and the reader
    // could wait for each other.
    Thread.detachNewThread { continuation.yield(with: Result { try reading.readToEnd() }) }
    do {
      // The pipe is closed even if writing fails, because the reader would otherwise wait forever.
      defer { try? pipe.fileHandleForWriting.close() }
      try OutputDescriptor(rawValue: writing, name: "pipe").write(text)
    }
    let read = try await received.first { _ in true }
    #expect(read == Data(text.utf8))
  }

  @Test
  func `the error for a failed write contains the reason`() throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let descriptor = OutputDescriptor(rawValue: full.fileDescriptor, name: "standard output")
    #expect(throws: OutputError(name: "standard output", code: ENOSPC)) {
      try descriptor.write("text")
    }
    #expect(!OutputError(name: "standard output", code: ENOSPC).isBrokenPipe)
    #expect(OutputError(name: "standard output", code: EPIPE).isBrokenPipe)
  }

  @Test
  func `a file that the command opens never replaces a closed standard input, output, or error`()
    async throws
  {
    let folder = try TestFolder()
    try folder.tone("input.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell(
      "syrinx record out.wav -v -d virtual:input.wav <&- >&- 2>&-", in: folder)
    #expect(run.status == 0)
    #expect(try folder.samples("out.wav") == folder.samples("input.wav"))
    let play = try await BuiltCommand.shell("syrinx play - -d virtual <&-", in: folder)
    #expect(play.status == 1)
    #expect(play.error.contains("standard input"))
  }
}
