import AudioCore
import Foundation
import SoundFile
import TestTools
import Testing

/// Files that announce positions so large that adding them could overflow.
@Suite struct ForeignNumbersTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `a chained Ogg file with huge positions is read to its end and announces no length`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      let folder = try TestFolder()
      let whole = try folder.file("a.ogg", .oggVorbis, sampleBuffer())
      let link = OggPages.with(lastPosition: 1 << 62, try Data(contentsOf: whole))
      let file = try folder.file("b.ogg", link + link)
      let reader = try SoundFileReader(url: file)
      guard reader.announcedFrameCount == nil, !reader.isSeekable else { exit(2) }
      let samples = try everything(reader)
      guard samples.count >= 2 * 2 * 44_100, reader.shortfall == nil else { exit(3) }
      let info = try AudioFileInfo(url: file)
      guard info.frameCount == nil, info.duration == nil else { exit(4) }
    }
  }

  @Test(arguments: [1 << 51, 1 << 60, 1 << 62] as [UInt64])
  func `a length over 2^50 frames counts as unknown`(position: UInt64) throws {
    let whole = try folder.file("a.ogg", .oggVorbis, sampleBuffer())
    let file = try folder.file(
      "b.ogg", OggPages.with(lastPosition: position, try Data(contentsOf: whole)))
    #expect(try SoundFileReader(url: file).announcedFrameCount == nil)
    #expect(try AudioFileInfo(url: file).duration == nil)
  }
}
