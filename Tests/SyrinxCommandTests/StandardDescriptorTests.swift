import Foundation
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(1)))
struct StandardDescriptorTests {
  @Test
  func `a text longer than a pipe's buffer arrives whole, also without blocking`() async throws {
    let pipe = Pipe()
    let writing = pipe.fileHandleForWriting.fileDescriptor
    _ = fcntl(writing, F_SETFL, O_NONBLOCK)
    let text = String(repeating: "0123456789", count: 50_000)
    let reading = pipe.fileHandleForReading
    let (received, continuation) = AsyncThrowingStream<Data?, any Error>.makeStream()
    // With writer and reader on the pool, whose threads are few, one would wait for the other.
    Thread.detachNewThread { continuation.yield(with: Result { try reading.readToEnd() }) }
    do {
      // Without its end the reader would wait for ever, also where writing fails.
      defer { try? pipe.fileHandleForWriting.close() }
      try StandardDescriptor(rawValue: writing, name: "pipe").write(text)
    }
    let read = try await received.first { _ in true }
    #expect(read == Data(text.utf8))
  }

  @Test
  func `what cannot be written is an error with its reason`() throws {
    let full = try FileHandle(forWritingTo: URL(filePath: "/dev/full"))
    let descriptor = StandardDescriptor(rawValue: full.fileDescriptor, name: "standard output")
    #expect(throws: OutputError(name: "standard output", code: ENOSPC)) {
      try descriptor.write("text")
    }
    #expect(!OutputError(name: "standard output", code: ENOSPC).isBrokenPipe)
    #expect(OutputError(name: "standard output", code: EPIPE).isBrokenPipe)
  }

  @Test
  func `a file is not mistaken for a standard descriptor that was closed`() async throws {
    let folder = try TestFolder()
    try folder.tone("heard.wav", .milliseconds(100))
    let run = try await BuiltCommand.shell(
      "syrinx record out.wav -v -d virtual:heard.wav <&- >&- 2>&-", in: folder)
    #expect(run.status == 0)
    #expect(try folder.samples("out.wav") == folder.samples("heard.wav"))
    let play = try await BuiltCommand.shell("syrinx play - -d virtual <&-", in: folder)
    #expect(play.status == 1)
    #expect(play.error.contains("standard input"))
  }
}
