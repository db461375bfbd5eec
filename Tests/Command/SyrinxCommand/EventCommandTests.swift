import ArgumentParser
import AudioThreads
import ClientDependencies
import Foundation
import Glibc
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
struct EventCommandTests {
  let folder: TestFolder
  private let error: TestFolder.Output
  private let console: Console
  private let clock = TestClock()

  init() throws {
    folder = try TestFolder()
    error = try folder.output()
    console = try Console(
      output: .output,
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
  }

  @Test(
    arguments: [
      ("wtype -", ["wtype", "-"]),
      (
        "  say   'two words'  \"it's \\\"so\\\"\" a\\ b",
        ["say", "two words", "it's \"so\"", "a b"]
      ),
      ("say '' a''b \"\"", ["say", "", "ab", ""]),
      ("say 'a\\b' $HOME ~", ["say", "a\\b", "$HOME", "~"]),
      ("say \"a\\b \\$c\" d\\e", ["say", "a\\b $c", "de"]),
      ("say 'open", nil), ("say \"open", nil), ("say open\\", nil), ("", []),
    ] as [(String, [String]?)])
  func `quotation marks and backslashes group the words of a command`(
    line: String, words: [String]?
  ) {
    #expect(commandWords(line) == words)
  }

  @Test func `a command gets each event on its standard input and in its variables, in order`()
    async throws
  {
    let command = command(
      """
      cat >> out; printf '|%s|%s\\n' "$SYRINX_TEXT" "$HOME" >> out
      """)
    for text in ["one", "two words", "$(three)"] { await command.run(for: text, as: "SYRINX_TEXT") }
    await command.finish()
    let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
    let lines = ["one", "two words", "$(three)"].map { "\($0)|\($0)|\(home)\n" }
    #expect(try text(of: "out") == lines.joined())
    #expect(try error.text().isEmpty)
  }

  @Test func `a failed command and a missing one are reported, and later events still run`()
    async throws
  {
    let command = command(
      """
      [ "$SYRINX_TEXT" = bad ] && exit 3; [ "$SYRINX_TEXT" = dead ] && kill -9 $$; echo >> out
      """)
    for text in ["bad", "dead", "good"] { await command.run(for: text, as: "SYRINX_TEXT") }
    await command.finish()
    #expect(try text(of: "out") == "\n")
    let missing = self.command(["/nowhere/type"], name: "/nowhere/type")
    await missing.run(for: "one", as: "SYRINX_TEXT")
    await missing.finish()
    #expect(
      try error.text() == """
        syrinx: the command "test" failed with status 3
        syrinx: the command "test" was ended by signal 9
        syrinx: the command "/nowhere/type" cannot be run: there is no such program

        """)
  }

  @Test func `a command that never reads its standard input does not delay later events`()
    async throws
  {
    let command = command("printf '%s\\n' \"${#SYRINX_TEXT}\" >> out")
    // The text exceeds the capacity of a pipe.
    let text = String(repeating: "a", count: 100_000)
    await command.run(for: text, as: "SYRINX_TEXT")
    await command.run(for: "b", as: "SYRINX_TEXT")
    await command.finish()
    #expect(try self.text(of: "out") == "100000\n1\n")
  }

  @Test func `of events that are faster than the command, the oldest are dropped and reported`()
    async throws
  {
    try folder.pipes("ready", "gate")
    let command = command(
      """
      if [ "$SYRINX_TEXT" = 1 ]; then : > ready; cat gate; fi; echo "$SYRINX_TEXT" >> out
      """)
    await command.run(for: "1", as: "SYRINX_TEXT")
    try await folder.waitForWriter(of: "ready")
    for number in 2...40 { await command.run(for: "\(number)", as: "SYRINX_TEXT") }
    try await folder.open("gate", O_WRONLY)
    await command.finish()
    let numbers = try text(of: "out").split(separator: "\n").compactMap { Int($0) }
    #expect(numbers == [1] + Array(9...40))
    #expect(
      try error.text() == """
        syrinx: the command "test" cannot keep up; the oldest events are dropped
        syrinx: the command "test" did not run for 7 events

        """)
  }

  @Test(arguments: [false, true])
  func `a hanging command is reported after 10 s, and terminated 5 s after the end`(
    ignoresSignal: Bool
  ) async throws {
    try folder.pipes("ready")
    let command = command("\(ignoresSignal ? "trap '' TERM; " : ""): > ready; sleep 1000; :")
    await command.run(for: "one", as: "SYRINX_TEXT")
    try await folder.waitForWriter(of: "ready")
    await command.run(for: "two", as: "SYRINX_TEXT")
    await clock.watch(for: 1)
    await clock.advance(by: .seconds(10))
    let end = Task { await command.finish() }
    await clock.watch(for: 1)
    await clock.advance(by: .seconds(5))
    if ignoresSignal {
      await clock.watch(for: 1)
      await clock.advance(by: .seconds(1))
    }
    await end.value
    #expect(
      try error.text() == """
        syrinx: the command "test" still runs after 10.000 s; later events wait
        syrinx: the command "test" still runs at the end and is terminated
        syrinx: the command "test" did not run for 1 event

        """)
  }

  @Test(
    arguments: [
      (["listen", "--exec-shell"], "--exec-shell requires --exec"),
      (["listen", "--exec", "say 'a"], "the command ends inside quotation marks"),
      (["listen", "--exec", " "], "--exec needs a command"),
      (["record", "-", "--exec", "say"], "--exec requires a file"),
      (["measure", "-d", "virtual:a.wav", "--exec", "say"], "--exec requires --above"),
      (["measure", "-d", "virtual:a.wav", "--above", "-20"], "--above requires --exec"),
      (["measure", "a.wav", "--exec", "say", "--above", "-20"], "--above requires --device"),
      (["measure", "-d", "virtual:a.wav", "--above", "3", "--exec", "say"], "--above 3"),
    ])
  func `a command that cannot run is a usage error`(
    arguments: [String], text: String
  ) throws {
    let error = #expect(throws: (any Error).self) { try RootCommand.parseAsRoot(arguments) }
    let message = RootCommand.fullMessage(for: try #require(error))
    #expect(message.contains(text), "\(message)")
  }

  @Test func `a program that does not exist is reported once, and its events are counted`()
    async throws
  {
    let missing = command(["syrinx-nowhere"], name: "syrinx-nowhere")
    for text in ["one", "two", "three"] { await missing.run(for: text, as: "SYRINX_TEXT") }
    await missing.finish()
    #expect(
      try error.text() == """
        syrinx: the command "syrinx-nowhere" cannot be run: there is no such program on the PATH
        syrinx: the command "syrinx-nowhere" could not be run for 3 events

        """)
  }

  @Test func `without a limit, the end waits for the command until it is interrupted`()
    async throws
  {
    try folder.pipes("ready")
    let command = command(
      ["/bin/sh", "-c", ": > '\(folder.file("ready").path)'; sleep 1000; :"], name: "test",
      gracePeriod: nil)
    await command.run(for: "one", as: "SYRINX_FILE")
    try await folder.waitForWriter(of: "ready")
    let isWaitedFor = await command.interrupt()
    #expect(!isWaitedFor)
    await clock.watch(for: 1)
    await clock.advance(by: .seconds(1))
    let end = Task { await command.finish() }
    await clock.watch(for: 2)
    await clock.advance(by: .seconds(600))
    #expect(await command.interrupt())
    await end.value
    #expect(
      try error.text() == """
        syrinx: the command "test" still runs after 10.000 s; later events wait
        syrinx: the command "test" still runs; press Ctrl-C to end it
        syrinx: the command "test" still runs at the end and is terminated

        """)
  }

  @Test func `a command is finished even if the work before it fails`() async throws {
    let command: EventCommand? = self.command("echo \"$SYRINX_TEXT\" >> out")
    await #expect(throws: CommandEnd.reported) {
      try await command.finishing {
        await command?.run(for: "one", as: "SYRINX_TEXT")
        throw CommandEnd.reported
      }
    }
    #expect(try text(of: "out") == "one\n")
  }

  @Test func `killing a command ends its children, and is no failure of the command`()
    async throws
  {
    try folder.pipes("gate")
    let command = command("sleep 1000 > gate & wait")
    await command.run(for: "one", as: "SYRINX_TEXT")
    let gate = folder.file("gate")
    let bytes = try await DedicatedThread.run(name: "gate") {
      // Opening the pipe waits for the child, and reading it waits for the end of the child.
      let pipe = try FileHandle(forReadingFrom: gate)
      command.kill()
      return try pipe.readToEnd() ?? Data()
    }
    #expect(bytes.isEmpty)
    await command.finish()
    #expect(try error.text().isEmpty)
  }

  /// Creates a command that runs a shell script in the test's folder.
  private func command(_ script: String) -> EventCommand {
    command(["/bin/sh", "-c", "cd '\(folder.url.path)' || exit 99; \(script)"], name: "test")
  }

  private func command(
    _ words: [String], name: String, gracePeriod: Duration? = EventCommand.gracePeriod
  ) -> EventCommand {
    withDependencies {
      $0.continuousClock = clock
    } operation: {
      EventCommand(words: words, name: name, gracePeriod: gracePeriod, console: console)
    }
  }

  private func text(of name: String) throws -> String {
    try String(contentsOf: folder.file(name), encoding: .utf8)
  }
}

extension TestFolder {
  /// Creates named pipes.
  fileprivate func pipes(_ names: String...) throws {
    for name in names { try #require(mkfifo(file(name).path, 0o600) == 0) }
  }

  fileprivate func waitForWriter(of name: String) async throws {
    try await open(name, O_RDONLY)
  }

  /// Opens and closes a named pipe on a thread of its own, because opening waits for the other end.
  fileprivate func open(_ name: String, _ flags: Int32) async throws {
    let path = file(name).path
    try await DedicatedThread.run(name: "fifo") { _ = close(Glibc.open(path, flags)) }
  }
}
