import AudioCore
import AudioThreads
import Foundation
import Testing

@testable import SyrinxCommand

/// A reader that is there and takes nothing.
@Suite(.timeLimit(.minutes(1))) struct FullPipeTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.tone("heard.wav", .seconds(20))
  }

  @Test func `in a hurry a reader that takes nothing is given up`() throws {
    let pipe = Pipe()
    let hurry = try WakeUp()
    hurry.signal()
    let descriptor = StandardDescriptor(
      rawValue: pipe.fileHandleForWriting.fileDescriptor, name: "standard output")
    try descriptor.write("there is room for this", hurry: hurry)
    #expect(throws: OutputError(name: "standard output", code: ETIMEDOUT)) {
      try descriptor.write(String(repeating: "x", count: 1_000_000), hurry: hurry)
    }
    #expect(
      OutputError(name: "standard output", code: ETIMEDOUT).description
        == "cannot write standard output: its reader takes nothing")
  }

  @Test func `in a hurry a reader that takes what it gets is not given up`() throws {
    let pipe = Pipe()
    let hurry = try WakeUp()
    hurry.signal()
    let reading = pipe.fileHandleForReading
    let reader = try DedicatedThread.start(name: "reader") { _ = try? reading.readToEnd() }
    try StandardDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
      .write(String(repeating: "x", count: 1_000_000), hurry: hurry)
    try pipe.fileHandleForWriting.close()
    withExtendedLifetime(reader) {}
  }

  /// The header comes with the first block, which is longer than the pipe.
  @Test func `one SIGTERM ends a recording into a pipe that is full`() async throws {
    try folder.noise(
      "loud.wav", .seconds(20), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let run = try await BuiltCommand.shell(
      """
      mkfifo output; exec 3<>output
      python3 -c 'import fcntl; fcntl.fcntl(3, 1031, 4096)  # F_SETPIPE_SZ'
      syrinx record - --bits float -d virtual:loud.wav >output & command=$!
      head -c 44 <&3 >/dev/null
      kill -TERM $command; wait $command
      """, in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("cannot write standard output: its reader takes nothing"))
  }

  @Test func `what waits for a reader when SIGTERM comes is still written`() async throws {
    try folder.noise(
      "loud.wav", .seconds(20), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let run = try await BuiltCommand.shell(
      """
      mkfifo go
      { syrinx record - --raw -d virtual:loud.wav & echo $! >command; wait $!; echo $? >status
      } | python3 -c '
      import shutil, sys
      open("go").read()
      shutil.copyfileobj(sys.stdin.buffer, open("got", "wb"))' & pipeline=$!
      syrinx record meanwhile.wav -d virtual:loud.wav --seconds 3
      kill -TERM "$(cat command)"; echo >go; wait $pipeline
      cat status; stat -c %s got
      """, in: folder)
    #expect(run.error == "")
    #expect(run.outputLines.first == "0")
    // Of three seconds, or what is left of them where it began late, the pipe holds a third of one.
    #expect(run.outputLines.last.flatMap { Int($0) }.map { $0 > 192_000 } == true)
  }

  /// A pipe of one page takes nothing as long as there is a byte in it.
  @Test(arguments: [
    "record out.wav --json -d virtual:heard.wav",
    "play heard.wav --loop forever --json -d virtual",
  ])
  func `one SIGTERM ends a command whose output nobody reads`(command: String) async throws {
    let run = try await BuiltCommand.shell(
      """
      mkfifo output; exec 3<>output
      python3 -c 'import fcntl; fcntl.fcntl(3, 1031, 4096)  # F_SETPIPE_SZ'
      syrinx \(command) >output & command=$!
      head -c 44 <&3 >/dev/null
      dd if=/dev/zero bs=1 count=1 oflag=nonblock >&3 2>/dev/null
      kill -TERM $command; wait $command
      """, in: folder)
    #expect(run.status == 1)
    #expect(run.error.contains("cannot write standard output: its reader takes nothing"))
  }
}
