import AudioCore
import AudioThreads
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

/// WAV files whose headers claim less audio than the files contain.
@Suite struct UnfinishedHeaderTests {
  private let folder: TestFolder
  private let audio: [UInt8]

  init() throws {
    folder = try TestFolder()
    let whole = try Data(contentsOf: folder.file("whole.wav", .wav16, sampleBuffer()))
    audio = [UInt8](whole.suffix(44_100 * 4))
  }

  private func number(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  private var format: [UInt8] {
    Array("fmt ".utf8) + number(16, 4) + number(1, 2) + number(2, 2) + number(44_100, 4)
      + number(176_400, 4) + number(4, 2) + number(16, 2)
  }

  private func header(_ mark: String = "RIFF", riff: Int, data: Int, sizes: [UInt8] = []) -> Data {
    Data(
      Array(mark.utf8) + number(riff, 4) + Array("WAVE".utf8) + sizes + format
        + Array("data".utf8) + number(data, 4))
  }

  private func longSizes(data: Int) -> [UInt8] {
    Array("ds64".utf8) + number(28, 4) + number(data + 72, 8) + number(data, 8)
      + number(data / 4, 8) + number(0, 4)
  }

  @Test(arguments: [(0, 0), (176_436, 0), (20_036, 20_000), (36, 0)])
  func `with an unfinished header, audio after the announced end of the chunk is read`(
    riff: Int, data: Int
  ) throws {
    let file = try folder.file("a.wav", header(riff: riff, data: data) + Data(audio))
    let reader = try SoundFileReader(url: file)
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.announcedFrameCount == 44_100 && reader.shortfall == nil)
    #expect(reader.notices == [.unfinishedHeader])
    let info = try AudioFileInfo(url: file)
    #expect(info.frameCount == 44_100 && info.notices == [.unfinishedHeader])
  }

  @Test func `a stream whose header announces no audio is read to its end`() throws {
    let pipe = TestPipe()
    try pipe.feed(header(riff: 0, data: 0) + Data(audio))
    defer { close(pipe.outlet) }
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    #expect(try everything(reader) == sampleBuffer().samples)
    #expect(reader.notices == [.unfinishedHeader] && reader.samples == .int16)
  }

  @Test func `a stream ends at the size in its header, even if its writer keeps it open`() throws {
    var ends: [Int32] = [-1, -1]
    try #require(pipe(&ends) == 0)
    defer { for end in ends { close(end) } }
    let bytes = [UInt8](header(riff: 20_036, data: 20_000)) + audio.prefix(40_000)
    try #require(write(ends[1], bytes, bytes.count) == bytes.count)
    let reader = try SoundFileReader(fileDescriptor: ends[0])
    #expect(try everything(reader).count == 10_000)
    #expect(reader.shortfall == nil && reader.notices.isEmpty)
  }

  @Test func `a stream without audio has no notice about its unfinished header`() throws {
    let pipe = TestPipe()
    try pipe.feed(header(riff: 36, data: 0))
    defer { close(pipe.outlet) }
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    #expect(try everything(reader).isEmpty && reader.notices.isEmpty)
  }

  @Test func `MPEG in a WAV file is read completely even if the header announces half of it`()
    throws
  {
    let (source, target) = (try folder.file("s.wav", .wav16, sampleBuffer()), folder.file("m.wav"))
    try Tool.ffmpeg("-i", source.path, "-c:a", "libmp3lame", target.path)
    let whole = try Data(contentsOf: target)
    let data = try #require(whole.range(of: Data("data".utf8)))
    let size = whole.count - data.upperBound - 4
    let half = Data(number(size / 2 / 1_000 * 1_000, 4))
    var cut = whole
    cut.replaceSubrange(data.upperBound..<data.upperBound + 4, with: half)
    let reader = try SoundFileReader(url: folder.file("half.wav", cut))
    #expect(try everything(reader) == everything(target))
    #expect(reader.notices == [.unfinishedHeader])
  }

  @Test(arguments: [
    Array("LIST".utf8) + [12, 0, 0, 0] + Array("INFOabcdefgh".utf8),
    Array("TAG".utf8) + [UInt8](repeating: 32, count: 125), [UInt8](repeating: 0, count: 468),
    [UInt8](repeating: 0, count: 100_000),
    [1, 2, 3],
  ])
  func `bytes after the announced audio are ignored if they are not audio`(rest: [UInt8]) throws {
    let size = 20_000
    let file = try folder.file(
      "a.wav", header(riff: size + 36, data: size) + Data(audio.prefix(size)) + Data(rest))
    let reader = try SoundFileReader(url: file)
    #expect(try everything(reader).count == size / 2)
    #expect(reader.notices.isEmpty)
  }

  @Test func `a BW64 file is read like an RF64 file`() throws {
    let head = header(
      "BW64", riff: 0xFFFF_FFFF, data: 0xFFFF_FFFF, sizes: longSizes(data: audio.count))
    let file = try folder.file("a.wav", head + Data(audio))
    #expect(try everything(file) == sampleBuffer().samples)
    let cut = try SoundFileReader(url: folder.file("b.wav", head + Data(audio.prefix(100_000))))
    #expect(try everything(cut).count == 50_000)
    #expect(cut.shortfall?.announced == 44_100)
  }

  @Test(arguments: ["streamed", "wrapped"])
  func `a WAV file of more than 4 GiB is read with its actual length`(kind: String) throws {
    let size = 5 << 30
    let claimed = kind == "streamed" ? 0xFFFF_FFFF : size & 0xFFFF_FFFF
    let head = header(riff: kind == "streamed" ? 0xFFFF_FFFF : claimed + 36, data: claimed)
    let url = try folder.file("a.wav", head)
    let file = try FileHandle(forWritingTo: url)
    // A sparse file, so that a huge size needs no disk space.
    try file.truncate(atOffset: UInt64(head.count + size - 4))
    try file.seekToEnd()
    try file.write(contentsOf: Data([0, 0x40, 0, 0xC0]))
    try file.close()
    let reader = try SoundFileReader(url: url)
    #expect(reader.announcedFrameCount == FrameCount(size / 4))
    guard reader.announcedFrameCount == FrameCount(size / 4) else { return }
    try reader.seek(to: FrameCount(size / 4 - 2))
    #expect(try reader.read(atMost: 10).samples == [0, 0, 0.5, -0.5])
    #expect(reader.shortfall == nil)
  }

  @Test(arguments: [4, 4_000, 176_400, 176_404])
  func `a WAV stream of any length is read in parts that libsndfile supports`(part: Int) throws {
    let pipe = TestPipe()
    try pipe.feed(header(riff: 0xFFFF_FFFF, data: 0xFFFF_FFFF) + Data(audio.prefix(100 * part)))
    let stream = StreamInput(
      source: Descriptor(owning: pipe.outlet), path: "a", interruption: try WakeUp())
    let layout = try #require(try WAVLayout(bytes: stream.bytes(at:count:)))
    let nextPart = try stream.wavParts(layout, longestPart: part)
    var bytes: [UInt8] = []
    while let next = try nextPart() {
      let pipe = FileHandle(fileDescriptor: next.number, closeOnDealloc: false)
      let whole = pipe.readDataToEndOfFile()
      #expect(whole.prefix(44) == header(riff: 0xFFFF_FFFF, data: 0xFFFF_FFFF))
      #expect(whole.count <= 44 + part)
      bytes += whole.dropFirst(44)
    }
    #expect(bytes == Array(audio.prefix(100 * part)))
  }
}
