import AudioCore
import AudioThreads
import Foundation
import SoundFile
import TestTools
import Testing

#if canImport(Glibc)
import Glibc
#endif

@Suite struct StreamingWAVWriterTests {
  @Test func `SoX and FFmpeg read the stream to its end`() throws {
    let folder = try TestFolder()
    let url = try folder.file("a.wav", Data())
    let descriptor = open(url.path, O_WRONLY)
    let writer = try StreamingWAVWriter(fileDescriptor: descriptor, format: cd)
    try writer.write(sampleBuffer().frames(0..<20_000))
    try writer.write(sampleBuffer().frames(20_000..<44_100))
    close(descriptor)
    #expect(writer.framesWritten == 44_100)
    #expect(try Tool.ffmpeg("-i", url.path, "-f", "f32le", "-").floats == sampleBuffer().samples)
    let sox = try Tool.sox("--ignore-length", url.path, "-t", "f32", "-").floats
    #expect(sox == sampleBuffer().samples)
    #expect(try everything(url) == sampleBuffer().samples)
  }

  @Test func `writing to a pipe without a reader throws brokenPipe and does not end the process`()
    async
  {
    await #expect(processExitsWith: .success) {
      signal(SIGPIPE, SIG_DFL)
      var ends: [Int32] = [-1, -1]
      pipe(&ends)
      let writer = try StreamingWAVWriter(fileDescriptor: ends[1], name: "out", format: cd)
      close(ends[0])
      #expect(throws: SoundFileError.brokenPipe(path: "out")) {
        try writer.write(sampleBuffer())
      }
    }
  }

  @Test func `a nonblocking pipe gets every byte`() throws {
    let pipe = TestPipe()
    _ = fcntl(pipe.inlet, F_SETFL, O_NONBLOCK)
    _ = try DedicatedThread.start(name: "writer") {
      do {
        let writer = try StreamingWAVWriter(fileDescriptor: pipe.inlet, format: cd)
        try writer.write(sampleBuffer())
      } catch {
        Issue.record(error)
      }
      close(pipe.inlet)
    }
    let reader = FileHandle(fileDescriptor: pipe.outlet, closeOnDealloc: true)
    #expect(try reader.readToEnd()?.count == 44 + 4 * 44_100)
  }

  @Test func `the reader gets the end of the pipe when the caller closes its descriptor`() throws {
    let pipe = TestPipe()
    let writer = try StreamingWAVWriter(fileDescriptor: pipe.inlet, format: cd)
    close(pipe.inlet)
    let reader = FileHandle(fileDescriptor: pipe.outlet, closeOnDealloc: true)
    #expect(try reader.readToEnd()?.count == 44)
    withExtendedLifetime(writer) {}
  }

  @Test func `the error for a full disk is diskFull`() {
    let descriptor = open("/dev/full", O_WRONLY)
    #expect(throws: SoundFileError.diskFull(path: "standard output")) {
      _ = try StreamingWAVWriter(fileDescriptor: descriptor, format: cd)
    }
    close(descriptor)
  }
}
