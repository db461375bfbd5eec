import Foundation
import TestTools
import Testing

/// Sends commands and signals to a running `play`.
@Suite(.timeLimit(.minutes(5)))
struct PlayControlTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test
  func `Ctrl-C ends an endless list of files with status 130`() async throws {
    try folder.tone("a.wav", .milliseconds(50))
    try folder.tone("b.wav", .milliseconds(50))
    let run = try RunningCommand(
      "play", "a.wav", "b.wav", "--loop", "forever", "-d", "virtual", "--json", in: folder,
      watching: .output)
    var advanced = 0
    for await line in run.lines where line.contains("\"advanced\"") {
      advanced += 1
      if advanced == 5 { run.send(SIGINT) }
    }
    #expect(advanced >= 5)
    #expect(await run.status() == 130)
  }

  @Test
  func `Ctrl-C ends an endless loop with status 130`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try RunningCommand(
      "play", "a.wav", "--loop", "forever", "-d", "virtual", "-v", in: folder, watching: .error)
    #expect(await run.lines.first(containing: "playing a.wav") != nil)
    run.send(SIGINT)
    #expect(await run.status() == 130)
  }

  @Test
  func `SIGTERM ends a playback that is waiting for a pipe, with status 143`() async throws {
    let run = try await BuiltCommand.shell(
      """
      mkfifo pipe; exec 3<>pipe
      syrinx play pipe -d virtual & player=$!
      kill -TERM $player; wait $player
      """, in: folder)
    #expect(run.status == 143)
  }

  @Test
  func `--control pauses, resumes, seeks, and stops`() async throws {
    try folder.tone("a.wav", .seconds(60))
    try folder.tone("b.wav", .seconds(60))
    let run = try await BuiltCommand.shell(
      """
      printf '%s\n' 'seek 30' nonsense '' pause 'seek 50' resume skip 'volume 0.5' pause stop |
        syrinx play a.wav b.wav -d virtual --control --json
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.errorLines.count == 1)
    #expect(run.error.contains("\"nonsense\" is not a command"))
    let events = run.outputLines.compactMap { line in
      ["started", "paused", "resumed", "advanced", "finished"].first {
        line.contains("\"event\":\"\($0)\"")
      }
    }
    #expect(events.last == "finished")
    #expect(run.output.contains(#""event":"sought""#))
    #expect(run.outputLines.last?.contains("stopped") == true)
  }

  @Test
  func `--control applies the duration of a fade and reports a file that does not exist`()
    async throws
  {
    try folder.tone("a.wav", .seconds(60))
    try folder.tone("b.wav", .seconds(60))
    let run = try await BuiltCommand.shell(
      """
      printf '%s\\n' 'seek 1 3' 'volume 0.5 0.1' 'seek 30 2' 'pause 0.05' 'resume 0.1' 'stop 1.5' |
        syrinx play a.wav b.wav -d virtual --control --json
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.errorLines == ["syrinx: file 3 does not exist; the files are 1 to 2"])
    #expect(run.output.contains(#""event":"sought","file":"b.wav""#))
    let finish = try #require(run.outputLines.last)
    let played = try #require(finish.firstMatch(of: /"played":([0-9.]+)/)).1
    #expect(try #require(Double(played)) >= 1.5)
  }

  @Test
  func `--control skips a line that is too long and performs the next line`()
    async throws
  {
    try folder.tone("a.wav", .seconds(60))
    let run = try await BuiltCommand.shell(
      """
      (head -c 5000000 /dev/zero | tr '\\0' x; printf '\\nstop\\n') |
        syrinx play a.wav -d virtual --control
      """, in: folder)
    #expect(run.status == 0)
    #expect(run.errorLines.count == 1 && run.error.contains("longer than 4096 bytes"))
  }

  @Test
  func `the end of standard input does not end the playback`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    #expect(try await folder.play("a.wav", "--control").status == 0)
  }

  @Test
  func `when standard input ends, a paused playback resumes`() async throws {
    try folder.tone("a.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell(
      "echo pause | syrinx play a.wav -d virtual --control --json", in: folder)
    #expect(run.status == 0)
    #expect(run.outputLines.last?.contains(#""reason":"completed""#) == true, "\(run.output)")
  }
}
