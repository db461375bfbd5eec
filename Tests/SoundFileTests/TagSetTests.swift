import AudioCore
import Foundation
import TestTools
import Testing

@testable import SoundFile

#if canImport(Glibc)
import Glibc
#endif

@Suite struct ID3TagTests {
  private let folder: TestFolder
  private let tags: [AudioTag: String] = [
    .title: "東京", .artist: "Björk", .album: "Ágætis", .date: "1999-05-01", .trackNumber: "3",
    .genre: "Rock", .comment: "so – so", .copyright: "© me",
  ]

  init() throws {
    folder = try TestFolder()
  }

  @Test func `an MP3 file begins with its tags in UTF-8, and FFmpeg and Syrinx read them`() throws {
    let url = try mp3("a.mp3", tags)
    #expect(try AudioFileInfo(url: url).tags == tags)
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
    let size = tags.id3Tag.count
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

  @Test func `an MP3 file with tags that was not closed has the length of its blocks`() throws {
    let writer = try SoundFileWriter(
      url: folder.file("a.mp3"), format: cd, encoding: .mp3, tags: tags)
    try writer.write(sampleBuffer())
    let reader = try SoundFileReader(url: folder.file("a.mp3"))
    let length = try #require(reader.announcedFrameCount)
    #expect(try everything(reader).count == 2 * length.rawValue)
    try writer.close()
  }

  @Test func `a pipe of MP3 has the tags of the file`() throws {
    let url = try mp3("a.mp3", tags)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    #expect(try AudioFileInfo(fileDescriptor: pipe.outlet).tags == tags)
    close(pipe.outlet)
  }

  @Test(arguments: [127, 128, 20_000])
  func `the sizes of a long text have 7 bits per byte`(length: Int) {
    let tags: [AudioTag: String] = [
      .title: String(repeating: "é", count: length), .artist: "Björk",
    ]
    #expect([AudioTag: String](id3: tags.id3Tag) == tags)
    #expect(FileKind.tagLength(tags.id3Tag) == tags.id3Tag.count)
    #expect(tags.id3Tag[6..<10].allSatisfy { $0 < 128 })
  }

  @Test func `a text that does not fit into a MiB is left out`() {
    let tags: [AudioTag: String] = [
      .title: String(repeating: "a", count: 1 << 20), .artist: "Björk",
    ]
    #expect([AudioTag: String](id3: tags.id3Tag) == [.artist: "Björk"])
  }

  @Test func `an ID3 tag has no license`() {
    #expect([AudioTag.license: "CC0"].id3Tag.isEmpty)
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
      try AudioFileInfo(url: folder.file("b.mp3", plain + last)).tags == [
        .title: "Größe", .artist: "Nobody", .date: "1999", .comment: "hello", .trackNumber: "7",
        .genre: "Rock",
      ])
    let tagged = try Data(contentsOf: mp3("c.mp3", [.title: "first"]))
    #expect(try AudioFileInfo(url: folder.file("d.mp3", tagged + last)).tags == [.title: "first"])
    #expect(try AudioFileInfo(url: folder.file("a.mp3")).tags.isEmpty)
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
      #expect([AudioTag: String](id3: bytes) == [.title: text])
    }
  }

  @Test func `UTF-16 is read from a tag that has a zero after each 255`() {
    let frames =
      Array("TIT2".utf8) + [0, 0, 0, 5, 0, 0, 1, 0xFF, 0, 0xFE, 0x71, 0x67]
      + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x62]
    let bytes = Array("ID3".utf8) + [3, 0, 0x80, 0, 0, 0, UInt8(frames.count)] + frames
    #expect([AudioTag: String](id3: bytes) == [.title: "東", .artist: "b"])
  }

  @Test(arguments: [(3, 0x80), (3, 0x40), (3, 0x20), (4, 0x40), (4, 0x08), (4, 0x04), (4, 0x01)])
  func `a frame whose text has another form is skipped`(version: UInt8, flags: UInt8) {
    let frames =
      Array("TIT2".utf8) + [0, 0, 0, 6, 0, flags, 0, 0, 0, 1, 3, 0x61]
      + Array("TPE1".utf8) + [0, 0, 0, 2, 0, 0, 3, 0x62]
    let bytes = Array("ID3".utf8) + [version, 0, 0, 0, 0, 0, UInt8(frames.count)] + frames
    #expect([AudioTag: String](id3: bytes) == [.artist: "b"])
  }

  private func mp3(_ name: String, _ tags: [AudioTag: String]) throws -> URL {
    let writer = try SoundFileWriter(
      url: folder.file(name), format: cd, encoding: .mp3, tags: tags)
    try writer.write(sampleBuffer())
    try writer.close()
    return folder.file(name)
  }
}
