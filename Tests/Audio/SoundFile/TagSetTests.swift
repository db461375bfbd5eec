import AudioCore
import AudioThreads
import CTagLib
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

@Suite struct TagSetTests {
  private let folder: TestFolder
  private let tags: [AudioTag: [String]] = [
    .title: ["東京"], .artist: ["Björk", "Ann"], .album: ["Ágætis"], .date: ["1999-05-01"],
    .trackNumber: ["3"], .genre: ["Rock"], .comment: ["so – so"], .copyright: ["© me"],
  ]

  init() throws {
    folder = try TestFolder()
  }

  @Test func `an MP3 file begins with its tags in UTF-8, and FFmpeg and Syrinx read them`() throws {
    let url = try mp3("a.mp3", tags)
    #expect(try AudioFileInfo(url: url).metadata.tags == tags)
    let shown = try Tool.run(
      "ffprobe", package: "ffmpeg",
      ["-v", "error", "-show_entries", "format_tags", "-of", "default=nw=1", url.path])
    let lines = Set(String(decoding: shown, as: UTF8.self).split(separator: "\n"))
    #expect(
      lines.isSuperset(of: [
        "TAG:title=東京", "TAG:artist=Björk", "TAG:album=Ágætis", "TAG:date=1999-05-01",
        "TAG:track=3", "TAG:genre=Rock", "TAG:comment=so – so", "TAG:copyright=© me",
      ]))
  }

  @Test func `tags change neither the audio of an MP3 file nor its length`() throws {
    let (tagged, plain) = (try mp3("tagged.mp3", tags), try mp3("plain.mp3", [:]))
    let size = AudioMetadata(tags: tags).id3Tag(at: 44_100).count
    let (all, audio) = (try Data(contentsOf: tagged), try Data(contentsOf: plain))
    let isEqual = all.dropFirst(size) == audio
    #expect(isEqual)
    #expect(try SoundFileReader(url: tagged).announcedFrameCount == 44_100)
    let samples = try everything(tagged)
    let isSameAudio = try samples == everything(plain)
    #expect(isSameAudio)
    let reader = try SoundFileReader(url: tagged)
    try reader.seek(to: 22_050)
    #expect(try everything(reader).count == samples.count - 44_100)
  }

  @Test func `an unfinished MP3 file with tags announces its actual length`() throws {
    let writer = try SoundFileWriter(
      url: folder.file("a.mp3"), format: cd, encoding: .mp3, metadata: AudioMetadata(tags: tags))
    try writer.write(sampleBuffer())
    let reader = try SoundFileReader(url: folder.file("a.mp3"))
    let length = try #require(reader.announcedFrameCount)
    #expect(try everything(reader).count == 2 * length.rawValue)
    try writer.close()
  }

  @Test func `the tags of MP3 are also read from a pipe`() throws {
    let url = try mp3("a.mp3", tags)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    #expect(try AudioFileInfo(fileDescriptor: pipe.outlet).metadata.tags == tags)
    close(pipe.outlet)
  }

  @Test(arguments: [127, 128, 20_000])
  func `the sizes of ID3 text frames use seven bits of each byte`(length: Int) {
    let metadata = AudioMetadata(tags: [
      .title: [String(repeating: "é", count: length)], .artist: ["Björk"],
    ])
    let bytes = metadata.id3Tag(at: 44_100)
    #expect(read(bytes) == metadata)
    #expect(FileKind.tagLength(bytes) == bytes.count)
    #expect(bytes[6..<10].allSatisfy { $0 < 128 })
  }

  @Test func `a tag at the end of a file is read if there is none at its beginning`() throws {
    var last = Data("TAG".utf8)
    for (bytes, length) in [
      (Array("Gr".utf8) + [0xF6, 0xDF, 0x65], 30), (Array("Nobody  ".utf8), 30), ([], 30),
      (Array("1999".utf8), 4), (Array("hello".utf8), 28), ([0, 7, 17], 3),
    ] as [([UInt8], Int)] {
      last += bytes + [UInt8](repeating: 0, count: length - bytes.count)
    }
    #expect(last.count == 128)
    let plain = try Data(contentsOf: mp3("a.mp3", [:]))
    #expect(
      try AudioFileInfo(url: folder.file("b.mp3", plain + last)).metadata.tags == [
        .title: ["Größe"], .artist: ["Nobody"], .date: ["1999"], .comment: ["hello"],
        .trackNumber: ["7"], .genre: ["Rock"],
      ])
    let tagged = try Data(contentsOf: mp3("c.mp3", [.title: ["first"]]))
    #expect(
      try AudioFileInfo(url: folder.file("d.mp3", tagged + last)).metadata.tags == [
        .title: ["first"]
      ])
    #expect(try AudioFileInfo(url: folder.file("a.mp3")).metadata.isEmpty)
  }

  @Test(
    arguments: [
      ([0, 0x42, 0x6A, 0xF6, 0x72, 0x6B], "Björk"),
      ([1, 0xFF, 0xFE, 0x71, 0x67, 0xAC, 0x4E], "東京"),
      ([1, 0xFE, 0xFF, 0x67, 0x71, 0x4E, 0xAC, 0, 0], "東京"),
      ([2, 0x67, 0x71, 0x4E, 0xAC], "東京"),
      ([3] + Array("東京".utf8), "東京"),
    ] as [([UInt8], String)])
  func `text is read in Latin-1, UTF-16, and UTF-8`(frame: [UInt8], text: String) {
    for version in [3, 4] as [UInt8] {
      let size: [UInt8] = [0, 0, 0, UInt8(frame.count)]
      let bytes =
        Array("ID3".utf8) + [version, 0, 0, 0, 0, 0, UInt8(10 + frame.count)]
        + Array("TIT2".utf8) + size + [0, 0] + frame
      #expect(read(bytes).tags == [.title: [text]])
    }
  }

  @Test
  func `UTF-16 is read from an ID3 tag with unsynchronization, which puts a zero after each 0xFF`()
  {
    let frames =
      Array("TIT2".utf8) + [0, 0, 0, 5, 0, 0, 1, 0xFF, 0, 0xFE, 0x71, 0x67]
      + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x62]
    let bytes = Array("ID3".utf8) + [3, 0, 0x80, 0, 0, 0, UInt8(frames.count)] + frames
    #expect(read(bytes).tags == [.title: ["東"], .artist: ["b"]])
  }

  @Test(arguments: [(3, 0x80), (3, 0x40), (3, 0x20), (4, 0x40), (4, 0x08), (4, 0x04)])
  func `an ID3 frame in an unsupported form is skipped`(version: UInt8, flags: UInt8) {
    let frames =
      Array("TIT2".utf8) + [0, 0, 0, 6, 0, flags, 0, 0, 0, 1, 3, 0x61]
      + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x62]
    let bytes = Array("ID3".utf8) + [version, 0, 0, 0, 0, 0, UInt8(frames.count)] + frames
    #expect(read(bytes).tags == [.artist: ["b"]])
  }

  @Test func `deeply nested chapters do not exhaust the stack`() {
    // Each chapter contains the next chapter, so TagLib would recurse for each.
    var nested: [UInt8] = []
    for depth in (0..<20_000).reversed() {
      nested += Array("CHAP".utf8) + big(28 * depth + 18) + [0, 0]
      nested += Array("c\0".utf8) + [UInt8](repeating: 0, count: 16)
    }
    let metadata = read(tag(3, nested + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x62]))
    #expect(metadata.cues.count == 1 && metadata.tags == [.artist: ["b"]])
  }

  @Test(
    arguments: [
      (["-c:v", "png"], [64, 48, 24, 0]),
      (["-c:v", "png", "-pix_fmt", "pal8"], [64, 48, 24, 256]),
      (["-c:v", "png", "-pix_fmt", "gray16"], [64, 48, 16, 0]),
      (["-c:v", "mjpeg"], [64, 48, 24, 0]), (["-c:v", "gif"], [64, 48, 24, 256]),
      (["-c:v", "bmp"], [0, 0, 0, 0]),
    ] as [([String], [Int])])
  func `a FLAC picture block has the width, height, depth, and colors of the image`(
    options: [String], numbers: [Int]
  ) throws {
    let bytes = try [UInt8](
      Tool.run(
        "ffmpeg", package: "ffmpeg",
        ["-v", "error", "-f", "lavfi", "-i", "testsrc=size=64x48", "-frames:v", "1"] + options
          + ["-f", options.contains("gif") ? "gif" : "image2pipe", "-"]))
    let picture = try #require(AudioPicture(file: bytes))
    #expect(try stored(picture) == numbers)
    // An incomplete header has no size, and nothing is read past its end.
    for count in 0..<64 {
      _ = try stored(AudioPicture(Array(bytes.prefix(count)), mediaType: "image/png"))
    }
  }

  /// Returns the width, height, depth, and number of colors in the FLAC block of a picture.
  private func stored(_ picture: AudioPicture) throws -> [Int] {
    guard let set = TagSet() else { throw CancellationError() }
    set.add([picture])
    let block = try #require(set.pictureBlocks().first)
    let start = 12 + picture.mediaType.utf8.count
    return (0..<4).map { block.big(at: start + 4 * $0, 4) }
  }

  @Test func `a file with deeply nested MP4 atoms is read without tags`() throws {
    var bytes = big(16) + Array("ftypM4A ".utf8) + [0, 0, 0, 0]
    for depth in (1...100_000).reversed() { bytes += big(8 * depth) + Array("moov".utf8) }
    let url = try folder.file("a.m4a", Data(bytes))
    guard let set = TagSet() else { throw CancellationError() }
    set.read(mp4: try Descriptor.reading(url.path))
    #expect(set.metadata(at: 44_100).isEmpty)
  }

  @Test func `damaged tags of every form are read without a crash`() throws {
    var numbers = SeededNumbers(seed: 5)
    let metadata = AudioMetadata(
      tags: tags, pictures: [AudioPicture([1, 2, 3], mediaType: "image/png")],
      cues: [AudioCue(frame: 0, name: "One"), AudioCue(frame: 100, name: "Two")])
    let id3 = metadata.id3Tag(at: 44_100)
    let vorbis = metadata.vorbisComments(at: 44_100)
    for (form, bytes) in [(syrinx_tags_id3v2, id3), (syrinx_tags_vorbis, vorbis)] {
      for _ in 0..<2_000 {
        var bytes = bytes
        for _ in 0..<4 {
          bytes[Int.random(in: 0..<min(bytes.count, 600), using: &numbers)] =
            UInt8.random(in: .min ... .max, using: &numbers)
        }
        var found = AudioMetadata()
        found.add(
          form, Array(bytes.prefix(Int.random(in: 1...bytes.count, using: &numbers))), at: 8)
        #expect(found.pictures.allSatisfy { $0.content.count < 10_000 })
      }
    }
  }

  private func read(_ bytes: [UInt8]) -> AudioMetadata {
    var metadata = AudioMetadata()
    metadata.add(syrinx_tags_id3v2, bytes, at: 44_100)
    return metadata
  }

  private func tag(_ version: UInt8, _ frames: [UInt8]) -> [UInt8] {
    let size = stride(from: 21, through: 0, by: -7).map {
      UInt8(truncatingIfNeeded: frames.count >> $0 & 0x7F)
    }
    return Array("ID3".utf8) + [version, 0, 0] + size + frames
  }

  private func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }

  private func mp3(_ name: String, _ tags: [AudioTag: [String]]) throws -> URL {
    let writer = try SoundFileWriter(
      url: folder.file(name), format: cd, encoding: .mp3, metadata: AudioMetadata(tags: tags))
    try writer.write(sampleBuffer())
    try writer.close()
    return folder.file(name)
  }
}
