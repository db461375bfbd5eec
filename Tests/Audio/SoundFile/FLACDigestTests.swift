import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

/// The MD5 sum in the header of FLAC is compared with the decoded audio.
@Suite struct FLACDigestTests {
  private let folder: TestFolder
  /// The byte range of the MD5 sum, at the end of the `STREAMINFO` block.
  private static let sum = 26..<42

  init() throws {
    folder = try TestFolder()
  }

  /// Returns a FLAC file to which `change` was applied.
  private func flac(_ change: (inout Data) -> Void = { _ in }) throws -> Data {
    var data = try Data(contentsOf: folder.file("whole.flac", .flac16, sampleBuffer()))
    change(&data)
    return data
  }

  private func damage(_ data: inout Data) { data[Self.sum.lowerBound] ^= 1 }

  @Test func `a wrong MD5 sum of FLAC is reported once the whole file is read`() throws {
    let reader = try SoundFileReader(url: folder.file("a.flac", flac(damage)))
    _ = try reader.read(atMost: 100)
    #expect(reader.notices == [])
    _ = try everything(reader)
    #expect(reader.notices == [.wrongDigest] && reader.shortfall == nil)
  }

  @Test func `a correct or missing MD5 sum of FLAC causes no notice`() throws {
    for data in [try flac(), try flac { $0.resetBytes(in: Self.sum) }] {
      let reader = try SoundFileReader(url: folder.file("a.flac", data))
      _ = try everything(reader)
      #expect(reader.notices == [])
    }
  }

  @Test func `a wrong MD5 sum of FLAC is reported even from a pipe`() throws {
    let pipe = TestPipe()
    try pipe.feed(flac(damage))
    let reader = try SoundFileReader(fileDescriptor: pipe.outlet)
    _ = try everything(reader)
    #expect(reader.notices == [.wrongDigest])
    close(pipe.outlet)
  }

  @Test func `after a seek the MD5 sum is not compared, and the end can be read again`() throws {
    let reader = try SoundFileReader(url: folder.file("a.flac", flac(damage)))
    let half = FrameCount(sampleBuffer().frameCount.rawValue / 2)
    try reader.seek(to: half)
    let end = try everything(reader)
    #expect(reader.notices == [])
    try reader.seek(to: 0)
    let all = try everything(reader)
    #expect(all == (try everything(SoundFileReader(url: folder.file("b.flac", flac())))))
    try reader.seek(to: half)
    #expect(try everything(reader) == end)
    #expect(try reader.read(atMost: 1).isEmpty)
  }

  @Test func `a FLAC file whose MD5 sum was checked can be read again from any frame`() throws {
    let reader = try SoundFileReader(url: folder.file("a.flac", flac(damage)))
    let all = try everything(reader)
    for frame in [0, 1, 5_000, all.count / 2 - 1, all.count / 2] {
      try reader.seek(to: FrameCount(frame))
      #expect(try everything(reader) == Array(all[(frame * 2)...]))
      #expect(reader.notices == [.wrongDigest])
    }
  }

  @Test func `a wrong MD5 sum in the first of two joined FLAC files is reported at the end`() throws
  {
    let url = try folder.file("a.flac", flac(damage) + flac())
    let reader = try SoundFileReader(url: url)
    let count = try everything(reader).count
    #expect(count == 2 * sampleBuffer().samples.count)
    #expect(reader.notices == [.wrongDigest])
  }

  @Test func `AudioFileInfo(decoding:) decodes the whole file, even from a pipe`() throws {
    let url = try folder.file("a.flac", flac(damage))
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    for reader in [
      try SoundFileReader(url: url), try SoundFileReader(fileDescriptor: pipe.outlet),
    ] {
      let info = try AudioFileInfo(decoding: reader, interruption: nil)
      #expect(info.notices == [.wrongDigest])
      #expect(info.frameCount == sampleBuffer().frameCount && info.shortfall == nil)
    }
    close(pipe.outlet)
    #expect(try AudioFileInfo(url: url).notices == [])
  }
}
