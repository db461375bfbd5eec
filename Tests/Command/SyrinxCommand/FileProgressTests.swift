import AudioCore
import ClientDependencies
import FilePaths
import Foundation
import SpeechClient
import TestTools
import Testing

@testable import SyrinxCommand

struct FileProgressTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  private let events: [SpeechRecognitionEvent] = [
    .speechStarted(at: .milliseconds(500)), .speechEnded(at: .milliseconds(700)),
    .speechStarted(at: .seconds(1)), .speechEnded(at: .seconds(4)),
  ]

  /// Reads a whole file at once, recognizes it, and returns the output on a terminal.
  ///
  /// - Parameters:
  ///   - name: the file's name.
  ///   - showsProgress: whether the progress is shown.
  ///   - hasBegun: whether `beginProgress` is called, after a minute.
  ///   - early: the number of events that arrive at once; the other events follow at intervals of a
  ///     second.
  private func shown(
    _ name: String, showsProgress: Bool = true, hasBegun: Bool = true, early: Int = 0
  ) async throws -> [String] {
    let terminal = try PseudoTerminal()
    let console = try console(on: terminal)
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let recognition = await FileRecognition(
        FilePath(folder.file(name)), showsProgress: showsProgress,
        in: CommandContext(console: console, signals: StopSignals()))
      let request = recognition.request(wantsPartials: false)
      await clock.advance(by: .seconds(60))
      if hasBegun { await recognition.beginProgress() }
      guard case .buffers(let buffers) = request.source else { return }
      for try await _ in buffers {}
      for (index, event) in events.enumerated() {
        if index >= early { await clock.advance(by: .seconds(1)) }
        await recognition.note(event)
      }
      #expect(try await recognition.finish())
    }
    return terminal.rewritten()
  }

  @Test
  func `the progress of a long file contains position, pace, and remaining time`()
    async throws
  {
    try folder.tone("long.wav", .seconds(4))
    let lines = try await shown("long.wav")
    #expect(
      lines.first == "long.wav 0:00.5 / 0:04.0 (12%), 0.5 times real time, 0:07.0 left")
    #expect(lines.contains { $0.hasPrefix("long.wav 0:04.0 / 0:04.0 (100%)") })
    // The status is erased.
    #expect(lines.suffix(2) == ["", ""])
  }

  @Test
  func `results that arrive as soon as the progress begins do not count toward the pace`()
    async throws
  {
    try folder.tone("long.wav", .seconds(4))
    let lines = try await shown("long.wav", early: 3)
    #expect(
      lines.first == "long.wav 0:04.0 / 0:04.0 (100%), 3.0 times real time, 0:00.0 left")
  }

  @Test
  func `a short file and a file with partial results show no progress`() async throws {
    try folder.tone("short.wav", .milliseconds(400))
    #expect(try await shown("short.wav", early: 4).isEmpty)
    try folder.tone("long.wav", .seconds(4))
    #expect(try await shown("long.wav", showsProgress: false).isEmpty)
  }

  @Test func `all audio of a file is read, whether a console shows the progress or not`()
    async throws
  {
    try folder.tone("a.wav", .milliseconds(500))
    let terminal = try PseudoTerminal()
    let watched = try console(on: terminal)
    for console in [watched, nil] {
      let problems = FileProblems()
      let length = try await withDependencies {
        $0.continuousClock = TestClock()
      } operation: {
        try await FilePath(folder.file("a.wav")).readAudio(
          framesPerBuffer: 1_000, problems: problems, progress: console
        ) { buffers in
          var length = FrameCount.zero
          for try await buffer in buffers { length += buffer.frameCount }
          return length
        }
      }
      #expect(length == 8_000 && problems.all.isEmpty)
    }
  }

  @Test func `an error while a file is processed ends its progress`() async throws {
    let terminal = try PseudoTerminal()
    let console = try console(on: terminal)
    await withDependencies {
      $0.continuousClock = TestClock()
    } operation: {
      await #expect(throws: CommandFailure.noSound) {
        try await FileProgress.showing("a.wav", on: console) { report in
          report(.seconds(1), .seconds(2))
          throw CommandFailure.noSound
        }
      }
    }
  }

  private func console(on terminal: PseudoTerminal) throws -> Console {
    try Console(
      error: OutputDescriptor(
        rawValue: terminal.user, name: "standard error", terminalType: "xterm"))
  }

  @Test func `after the first second, the progress of many files includes the remaining time`() {
    #expect(countText(1, of: 4, after: .milliseconds(900)) == "1 of 4 files")
    #expect(countText(1, of: 4, after: .seconds(2)) == "1 of 4 files, 0:06.0 left")
    #expect(countText(4, of: 4, after: .seconds(8)) == "4 of 4 files")
  }

  @Test func `the progress of many files shows no total if not all files can be listed`()
    async throws
  {
    // The second name is an error, because it contains a NUL.
    try Data("a.wav\nb\0.wav\n".utf8).write(to: folder.file("names"))
    let terminal = try PseudoTerminal()
    let clock = TestClock()
    let progress = ArchiveProgress(console: try console(on: terminal), clock: clock)
    await progress.count(
      TranscriptionInputs(arguments: [], list: FilePath(folder.file("names"))))
    await clock.advance(by: .seconds(2))
    await progress.show()
    #expect(terminal.rewritten().first?.hasPrefix("0 files, ") == true)
  }

  @Test func `a file shows no progress before beginProgress is called`() async throws {
    try folder.tone("long.wav", .seconds(4))
    #expect(try await shown("long.wav", hasBegun: false).isEmpty)
  }
}

struct ProgressLineTests {
  @Test
  func `the progress line contains position, pace, and remaining time`() {
    #expect(
      FileProgress.line("talk.wav", at: .seconds(60), of: .seconds(600), after: .seconds(12))
        == "talk.wav 1:00.0 / 10:00.0 (10%), 5.0 times real time, 1:48.0 left")
  }

  @Test
  func `there is no progress line in the first second`() {
    let early = Duration.milliseconds(999)
    #expect(
      FileProgress.line("a.wav", at: .seconds(60), of: .seconds(600), after: early) == nil)
  }

  @Test
  func `if the file's length is unknown, the progress line contains no remaining time`() {
    #expect(
      FileProgress.line("a.mp3", at: .seconds(6), of: nil, after: .seconds(4))
        == "a.mp3 0:06.0, 1.5 times real time")
  }

  @Test
  func `progress never exceeds 100 percent`() {
    let line = { (position: Duration) in
      FileProgress.line("a.wav", at: position, of: .seconds(10), after: .seconds(2))
    }
    #expect(line(.seconds(20))?.contains("(100%)") == true)
    #expect(line(.seconds(20))?.hasSuffix("0:00.0 left") == true)
    #expect(line(.zero)?.contains("left") == false)
  }

  @Test
  func `times too large for an integer do not crash the progress line`() async {
    await #expect(processExitsWith: .success) {
      let endless = Duration.seconds(Int64(1 << 62))
      for total in [endless, .nanoseconds(1)] {
        _ = FileProgress.line("a.wav", at: endless, of: total, after: .seconds(1))
      }
      _ = FileProgress.line(
        "a.wav", at: .nanoseconds(1), of: endless, after: .seconds(1 << 40))
    }
  }
}
