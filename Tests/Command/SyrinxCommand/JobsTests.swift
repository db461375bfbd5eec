import FilePaths
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct JobsTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `the printed lines and their order do not depend on the number of jobs`() async throws
  {
    try folder.speech("one.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    let transcribe = "syrinx transcribe --json two.wav one.wav"
    let one = try await BuiltCommand.shell("\(transcribe) --jobs 1", in: folder)
    let three = try await BuiltCommand.shell("\(transcribe) --jobs 3", in: folder)
    #expect(one.status == 0 && three.status == 0)
    #expect(one.output == three.output)
    #expect(try one.outputLines.map { try UtteranceLine($0).file }.first == "two.wav")
  }

  /// With a limit of one second, the utterance ends between "forward" and "ten".
  @Test(arguments: ["", "--longest-utterance 1"])
  func `several jobs find the same key phrases as one job, even if a limit ends an utterance`(
    option: String
  ) async throws {
    try folder.speech("one.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    let phrases = ["go", "forward", "ten", "meters"]
    let keys = phrases.map { "--key-phrase \($0)" }.joined(separator: " ")
    let transcribe = "syrinx transcribe --json two.wav one.wav two.wav \(keys) \(option)"
    let one = try await BuiltCommand.shell("\(transcribe) --jobs 1", in: folder)
    let two = try await BuiltCommand.shell("\(transcribe) --jobs 2", in: folder)
    #expect(one.status == 0 && two.status == 0, "\(two.error)")
    #expect(one.output == two.output)
    let found = try two.outputLines.map(UtteranceLine.init).flatMap { line in
      line.words.map { "\(line.file ?? "") \($0.word)" }
    }
    let inTwo = (["go"] + phrases).map { "two.wav \($0)" }
    #expect(found == inTwo + phrases.map { "one.wav \($0)" } + inTwo)
  }

  @Test func `unreadable files are reported in input order, and the other files are transcribed`()
    async throws
  {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "--jobs", "2", "a.wav", "go.wav", "b.wav", "go.wav", "/dev/null", in: folder)
    #expect(run.status == 1)
    let line = "go.wav: go forward 10 meters\n"
    #expect(run.output == line + line)
    let reports = run.errorLines
    try #require(reports.count == 3)
    #expect(reports[0].contains("a.wav") && reports[1].contains("b.wav"))
  }

  @Test func `with several jobs each file still has its own transcript`() async throws {
    try folder.speech("go.wav")
    try folder.sample("two-utterances.wav", as: "two.wav")
    let run = try await BuiltCommand.run(
      "transcribe", "--jobs", "2", "--output-dir", "out", "go.wav", "two.wav", in: folder)
    #expect(run.status == 0)
    let two = try String(contentsOf: folder.file("out/two.txt"), encoding: .utf8)
    #expect(two == "turn left and go back\ngo forward 10 meters\n")
    let one = try String(contentsOf: folder.file("out/go.txt"), encoding: .utf8)
    #expect(one == "go forward 10 meters\n")
  }

  @Test(arguments: ["0", "257", "x"]) func `an invalid number of jobs is a usage error`(
    number: String
  ) async throws {
    let run = try await BuiltCommand.run("transcribe", "--jobs", number, "a.wav", in: folder)
    #expect(run.status == 64)
  }

  @Test func `the queue recognizes a limited number of files before their results are read`()
    async throws
  {
    typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>
    let context = CommandContext(console: try Console(), signals: StopSignals())
    let started = Started()
    let names = "abcdefghijkl".map { FilePath(String($0)) }
    let inputs = try RemainingInputs(
      TranscriptionInputs(arguments: names), folder: nil, skipping: nil, stopSignal: nil)
    let slow = ["a": Events.makeStream(), "i": Events.makeStream()]
    var queue = RecognitionQueue(limit: 2) {
      try await inputs.next()
    } start: { input in
      await started.note("\(input.file)")
      return RecognitionQueue.Entry(
        input: input,
        recognition: await FileRecognition(input.file, showsProgress: false, in: context),
        events: slow["\(input.file)"]?.stream ?? Events { nil })
    }
    // The entry must stay alive, because its release would end the recognition.
    let first = try await queue.next()?.get()
    defer { withExtendedLifetime(first) {} }
    #expect(first?.input.file == "a")
    // The other files are recognized while the results of the first file are awaited.
    #expect(await started.files(atLeast: 8).joined() == "abcdefgh")
    #expect(try await queue.next()?.get().input.file == "b")
    #expect(await started.files(atLeast: 9).joined() == "abcdefghi")
    // "a" and "i" are being recognized, so no other file starts.
    #expect(try await queue.next()?.get().input.file == "c")
    #expect(await started.files(atLeast: 9).joined() == "abcdefghi")
    slow["a"]?.continuation.finish()
    #expect(await started.files(atLeast: 10).joined() == "abcdefghij")
  }

  @Test func `the first file is recognized while the list of names is still open`()
    async throws
  {
    try folder.speech("go.wav")
    let run = try await BuiltCommand.shell(
      """
      mkfifo names transcripts; exec 3<>names 4<>transcripts
      syrinx transcribe --engine pocketsphinx --files-from names --jobs 2 >&4 &
      echo go.wav >&3
      read -r -t 120 line <&4; echo "$line"; kill $!
      """, in: folder)
    #expect(run.output == "go.wav: go forward 10 meters\n")
  }
}

private actor Started {
  private var files: [String] = []
  private var awaited: (count: Int, continuation: CheckedContinuation<Void, Never>)?

  func note(_ file: String) {
    files.append(file)
    if let awaited, files.count >= awaited.count {
      awaited.continuation.resume()
      self.awaited = nil
    }
  }

  /// Returns the started files, once there are at least `count`.
  ///
  /// Other tasks run first, so that any file started in excess is included.
  func files(atLeast count: Int) async -> [String] {
    if files.count < count {
      await withCheckedContinuation { awaited = (count, $0) }
    }
    for _ in 0..<1_000 { await Task.yield() }
    return files
  }
}
