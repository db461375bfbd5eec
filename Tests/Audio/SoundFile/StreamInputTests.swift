import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

@Suite struct StreamInputTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["a.wav", "a.aiff", "a.au", "a.caf", "a.flac", "a.ogg", "a.w64", "a.mp3"])
  func `reading a pipe returns the same samples as reading the file`(name: String) throws {
    let source = try folder.file("source.wav", .wav16, sampleBuffer())
    let file = folder.file(name)
    try Tool.ffmpeg("-i", source.path, file.path)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: file))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(try everything(reader) == everything(file))
  }

  @Test func `a stream ends at its deadline, after the bytes received until then`() throws {
    let pipe = TestPipe()
    // The pipe stays open, so only the deadline ends the stream.
    defer { close(pipe.inlet) }
    pipe.write(Data([1, 2]))
    let input = try StreamInput(
      source: Descriptor(owning: pipe.outlet), path: "a", interruption: WakeUp(),
      deadline: ContinuousClock.now + .milliseconds(1))
    var bytes: [UInt8] = []
    while case let more = try input.next(atMost: 10), !more.isEmpty { bytes += more }
    #expect(bytes == [1, 2])
  }

  @Test func `inspecting bytes does not consume them, and the rest can be read in order`() throws {
    let pipe = TestPipe()
    try pipe.feed(Data(0..<100))
    let input = try StreamInput(
      source: Descriptor(owning: pipe.outlet), path: "a", interruption: WakeUp())
    #expect(try input.bytes(at: 20, count: 2) == [20, 21])
    #expect(try input.next(atMost: 10) == Array(0..<10))
    #expect(try input.bytes(at: 0, count: 1) == [10])
    try input.skip(20)
    #expect(try input.bytes(at: 0, count: 4) == [30, 31, 32, 33])
    let copy = try input.pumped(after: [1, 2, 3])
    let rest = FileHandle(fileDescriptor: copy.number, closeOnDealloc: false)
    #expect(rest.readDataToEndOfFile() == Data([1, 2, 3] + (30..<100)))
  }

  @Test func `a stream that is spooled to a file has a maximum size`() throws {
    let pipe = TestPipe()
    try pipe.feed(Data(count: 5_000))
    let input = try StreamInput(
      source: Descriptor(owning: pipe.outlet), path: "standard input", interruption: WakeUp())
    #expect(try input.bytes(at: 0, count: 3) == [0, 0, 0])
    let error = #expect(throws: SoundFileError.self) {
      try input.spooled(what: "a FLAC file", largestSize: 4_096)
    }
    #expect("\(error!)".contains("a pipe with a FLAC file"))
  }

  @Test func `a streamed WAV file from FFmpeg, which has no length, is read to its end`() throws {
    let source = try folder.file("source.wav", .wav16, sampleBuffer())
    let pipe = TestPipe()
    try pipe.feed(Tool.ffmpeg("-i", source.path, "-f", "wav", "-"))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.announcedFrameCount == nil)
    #expect(reader.shortfall == nil)
  }

  @Test func `the first frames of a FLAC stream are read before its last frames are written`()
    throws
  {
    let data = try Data(contentsOf: folder.file("a.flac", .flac16, sampleBuffer()))
    let pipe = TestPipe()
    pipe.write(data.prefix(data.count / 2))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(try reader.read(atMost: 1_000) == sampleBuffer().frames(0..<1_000))
    try pipe.feed(data.dropFirst(data.count / 2))
    #expect(try everything(reader) == sampleBuffer().frames(1_000..<44_100).samples)
  }

  @Test func `the first frames of a WAV stream are read before its last frames are written`() throws
  {
    let data = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    let pipe = TestPipe()
    pipe.write(data.prefix(80 + 4_000))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(try reader.read(atMost: 1_000) == sampleBuffer().frames(0..<1_000))
    try pipe.feed(data.dropFirst(80 + 4_000))
    #expect(try everything(reader) == sampleBuffer().frames(1_000..<44_100).samples)
  }

  @Test func `a reader of a regular file's descriptor can seek`() throws {
    let file = try folder.file("a.flac", .flac16, sampleBuffer())
    let descriptor = open(file.path, O_RDONLY)
    let reader = try SoundFileReader(fileDescriptor: descriptor)
    close(descriptor)
    try reader.seek(to: 100)
    #expect(try everything(reader) == sampleBuffer().frames(100..<44_100).samples)
  }

  @Test func `a named pipe is read while it is written`() throws {
    let data = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    let path = folder.file("fifo").path
    mkfifo(path, 0o600)
    _ = try DedicatedThread.start(name: "feed") {
      let handle = FileHandle(forWritingAtPath: path)
      handle?.write(data)
    }
    let reader = try SoundFileReader(url: folder.file("fifo"))
    #expect(try everything(reader) == sampleBuffer().samples)
  }

  @Test func `seeking in a stream is an error`() throws {
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer())))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(throws: SoundFileError.notSeekable(path: "standard input")) {
      try reader.seek(to: 0)
    }
  }

  @Test(arguments: [
    (Data(), SoundFileError.empty(path: "standard input")),
    (Data("Only some text, no audio.".utf8), .notAudio(path: "standard input")),
    (
      Data("MThd0000000000000000".utf8),
      .silent(path: "standard input", what: "a MIDI file (notes only)")
    ),
  ])
  func `a stream without audio is refused at its first bytes`(
    data: Data, error: SoundFileError
  ) throws {
    let pipe = TestPipe()
    try pipe.feed(data)
    #expect(throws: error) { try SoundFileReader(fileDescriptor: pipe.outlet) }
    close(pipe.outlet)
  }

  @Test func `a released reader releases the pipe even if its writer sends nothing`() throws {
    let pipe = TestPipe()
    let data = try Data(contentsOf: folder.file("a.wav", .wav16, sampleBuffer()))
    pipe.write(data.prefix(4_000))
    do {
      let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
      _ = try reader.read(atMost: 10)
    }
    pipe.waitForReadersToGo()
  }

  @Test(arguments: ["a.mp3", "a.flac", "a.wav"])
  func `audio after a tag of 17 MiB is read from a pipe`(name: String) throws {
    let source = try folder.file("source.wav", .wav16, sampleBuffer())
    let file = folder.file(name)
    try Tool.ffmpeg("-i", source.path, "-id3v2_version", "0", file.path)
    let tag = Data("ID3".utf8) + Data([4, 0, 0, 8, 64, 0, 0]) + Data(count: 17 << 20)
    let pipe = TestPipe()
    try pipe.feed(tag + Data(contentsOf: file))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    close(pipe.outlet)
    #expect(try everything(reader) == everything(file))
  }
}
