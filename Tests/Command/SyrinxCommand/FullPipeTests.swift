import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SyrinxCommand

/// Writes output to a reader that is connected but reads nothing.
@Suite(.timeLimit(.minutes(5))) struct FullPipeTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
    try folder.tone("input.wav", .seconds(20))
  }

  @Test func `after the stop signal, a write fails if the reader reads nothing`() throws {
    let pipe = Pipe()
    let stopSignal = try WakeUp()
    stopSignal.signal()
    let descriptor = OutputDescriptor(
      rawValue: pipe.fileHandleForWriting.fileDescriptor, name: "standard output")
    try descriptor.write("there is room for this", stopSignal: stopSignal)
    #expect(throws: OutputError(name: "standard output", code: ETIMEDOUT)) {
      try descriptor.write(String(repeating: "x", count: 1_000_000), stopSignal: stopSignal)
    }
    #expect(
      OutputError(name: "standard output", code: ETIMEDOUT).description
        == "cannot write standard output: its reader takes nothing")
  }

  @Test func `after the stop signal, a write succeeds if the reader reads everything`() throws {
    let pipe = Pipe()
    let stopSignal = try WakeUp()
    stopSignal.signal()
    let reading = pipe.fileHandleForReading
    let reader = try DedicatedThread.start(name: "reader") { _ = try? reading.readToEnd() }
    try OutputDescriptor(rawValue: pipe.fileHandleForWriting.fileDescriptor, name: "pipe")
      .write(String(repeating: "x", count: 1_000_000), stopSignal: stopSignal)
    try pipe.fileHandleForWriting.close()
    withExtendedLifetime(reader) {}
  }

  /// The first write, the header with a block of audio, is larger than the pipe's buffer.
  @Test func `one SIGTERM ends a recording to a full pipe`() async throws {
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

  @Test func `after SIGTERM, the reader still gets all captured audio`() async throws {
    try folder.noise(
      "loud.wav", .seconds(20), format: AudioFormat(sampleRate: 48_000, channelCount: 2))
    let run = try await BuiltCommand.shell(
      """
      mkfifo go
      { syrinx record - --quiet --raw -d virtual:loud.wav & echo $! >command; wait $!; echo $? >status
      } | python3 -c '
      import shutil, sys
      open("go").read()
      shutil.copyfileobj(sys.stdin.buffer, open("got", "wb"))' & pipeline=$!
      syrinx record meanwhile.wav --quiet -d virtual:loud.wav --seconds 3
      kill -TERM "$(cat command)"; echo >go; wait $pipeline
      cat status; stat -c %s got
      """, in: folder)
    #expect(run.error == "")
    #expect(run.outputLines.first == "0")
    // The recorder writes up to three seconds, of which the pipe holds a third of a second.
    #expect(run.outputLines.last.flatMap { Int($0) }.map { $0 > 192_000 } == true)
  }

  /// The pipe's buffer is one page, which Linux treats as full once it contains a byte.
  @Test(arguments: [
    "record out.wav --json -d virtual:input.wav",
    "play input.wav --loop forever --json -d virtual",
  ])
  func `one SIGTERM ends a command whose output is not read`(command: String) async throws {
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
