import AudioCore
import AudioThreads
import CTagLib
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Metadata that is too large, too numerous, or damaged is skipped with a notice.
@Suite(.serialized) struct MetadataLimitsTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test(arguments: ["flac", "ogg", "opus", "mp3", "wav", "aiff"])
  func `a text tag above 16 MiB is skipped, and the rest of the file is read`(name: String) throws {
    let metadata = AudioMetadata(tags: [
      .title: ["Lark"], .comment: ["short", String(repeating: "x", count: 17 << 20)],
    ])
    let (url, notices) = try write("a.\(name)", metadata)
    #expect(notices.count == 1 && notices.first?.contains("values of COMMENT") == true)
    let reader = try SoundFileReader(url: url)
    #expect(reader.metadata.tags[.title] == ["Lark"] && reader.metadata.tags[.comment] == ["short"])
    #expect(try everything(reader).count >= 80_000)
  }

  @Test(arguments: [0xFF_FFFF - 73, 0xFF_FFFF - 72, 0xFF_FFFF + 1])
  func `a picture too large for a FLAC block is omitted with a notice`(
    count: Int
  ) throws {
    let picture = AudioPicture([UInt8](repeating: 7, count: count), mediaType: "image/png")
    let (url, notices) = try write("a.flac", AudioMetadata(pictures: [picture]))
    let fits = count + 9 + 64 <= 0xFF_FFFF
    #expect(notices.isEmpty == fits)
    let reader = try SoundFileReader(url: url)
    let isKept = reader.metadata.pictures == (fits ? [picture] : [])
    #expect(isKept)
    #expect(try everything(reader).count == 88_200)
  }

  @Test(arguments: ["mp3", "ogg", "wav"])
  func `a picture that would make a tag exceed its maximum size is skipped`(name: String) throws {
    let pictures = [1, 2].map { kind in
      AudioPicture(
        [UInt8](repeating: UInt8(kind), count: 30 << 20), mediaType: "image/png", kind: kind)
    }
    let (url, notices) = try write("a.\(name)", AudioMetadata(pictures: pictures))
    #expect(notices == ["left out: a picture; too many, or too large together"])
    let isFirst = try AudioFileInfo(url: url).metadata.pictures == [pictures[0]]
    #expect(isFirst)
  }

  @Test func `the pictures of a FLAC file are read from a file and from a pipe`() throws {
    let picture = AudioPicture(
      [UInt8](repeating: 7, count: 5_000), mediaType: "image/png", kind: 4, text: "Größe")
    let (url, _) = try write("a.flac", AudioMetadata(pictures: [picture]))
    let reader = try SoundFileReader(url: url)
    #expect(reader.metadata.pictures == [picture])
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    #expect(try AudioFileInfo(fileDescriptor: pipe.outlet).metadata.pictures == [picture])
    close(pipe.outlet)
  }

  @Test(arguments: ["file", "pipe"])
  func `FLAC pictures beyond 64 MiB are skipped and reported`(kind: String) throws {
    let (url, _) = try write("a.flac", AudioMetadata(tags: [.title: ["Lark"]]))
    let plain = try Data(contentsOf: url)
    let content = [UInt8](repeating: 0, count: 15 << 20)
    var block = big(3) + big(9) + Array("image/png".utf8)
    block += big(0) + [UInt8](repeating: 0, count: 16)
    block += big(content.count) + content
    var data = Data(plain.prefix(42))
    for _ in 0..<5 {
      data.append(6)
      data.append(contentsOf: big(block.count).dropFirst())
      data.append(contentsOf: block)
    }
    data.append(plain.dropFirst(42))
    let info: AudioFileInfo
    if kind == "file" {
      info = try AudioFileInfo(url: folder.file("b.flac", data))
    } else {
      let pipe = TestPipe()
      try pipe.feed(data)
      info = try AudioFileInfo(fileDescriptor: pipe.outlet)
      close(pipe.outlet)
    }
    #expect(info.metadata.pictures.count == 4 && info.metadata.tags[.title] == ["Lark"])
    #expect(info.notices.contains { $0.description.hasPrefix("left out: a picture") })
  }

  @Test(arguments: [(128, 20), (128, 16), (128, 31), (128, 32), (128, 0), (0, 32)])
  func `an APE tag at the beginning of a short file is not read beyond the file`(
    last: Int, first: Int
  ) throws {
    let id3 = Array("TAG".utf8) + [UInt8](repeating: 0, count: 124) + [255]
    let bytes = Array("APETAGEX".utf8) + [UInt8](repeating: 0, count: 24)
    let url = try folder.file("a.mp3", Data(bytes.prefix(first) + id3.prefix(last)))
    let stored = StoredMetadata()
    stored.file = try Descriptor.reading(url.path)
    let (sound, _) = try write("b.wav", AudioMetadata())
    #expect(stored.value(of: try SoundFileReader(url: sound).decoder).isEmpty)
  }

  @Test func `APE tags at the end of a file are read, and damaged tags cause no crash`() throws {
    let (url, _) = try write("a.mp3", AudioMetadata())
    let plain = try Data(contentsOf: url)
    let tag = ape(["Title": "Lark", "Artist": "Ann"])
    let whole = try AudioFileInfo(url: folder.file("b.mp3", plain + tag)).metadata.tags
    #expect(whole == [.title: ["Lark"], .artist: ["Ann"]])
    var numbers = SeededNumbers(seed: 7)
    for _ in 0..<2_000 {
      var damaged = tag
      for _ in 0..<3 {
        damaged[Int.random(in: 0..<tag.count, using: &numbers)] =
          UInt8.random(in: .min ... .max, using: &numbers)
      }
      var found = AudioMetadata()
      found.add(syrinx_tags_ape, damaged, at: 8)
      let twice = Array("TAG".utf8) + damaged + damaged
      found.add(syrinx_tags_id3v1, Array(twice.prefix(128)), at: 8)
      #expect(found.tags.count < 10)
    }
  }

  @Test func `ID3 frames and Vorbis comments beyond 10,000 are counted and skipped`() {
    var frames: [UInt8] = []
    for index in 0..<12_000 {
      let text = [3] + Array("key\(index)".utf8) + [0, 0x61]
      frames += Array("TXXX".utf8) + big(text.count) + [0, 0] + text
    }
    let size = [21, 14, 7, 0].map { UInt8(truncatingIfNeeded: frames.count >> $0 & 0x7F) }
    var id3 = AudioMetadata()
    id3.add(syrinx_tags_id3v2, Array("ID3".utf8) + [3, 0, 0] + size + frames, at: 8)
    #expect(id3.tags.count == 10_000)
    #expect(id3.notices.first?.description.hasPrefix("left out: 2000 parts of the tags") == true)
    var comments = [UInt8](repeating: 0, count: 4) + little(12_000, 4)
    for index in 0..<12_000 {
      let text = Array("key\(index)=a".utf8)
      comments += little(text.count, 4) + text
    }
    var vorbis = AudioMetadata()
    vorbis.add(syrinx_tags_vorbis, comments, at: 8)
    #expect(vorbis.tags.count == 10_000)
    #expect(vorbis.notices.first?.description.hasPrefix("left out: 2000 parts of the tags") == true)
  }

  @Test func `a tag that cannot be read is reported`() {
    let bytes = Array("ID3".utf8) + [9, 0, 0] + [UInt8](repeating: 0x7F, count: 20)
    for form in [syrinx_tags_id3v2, syrinx_tags_vorbis] {
      var metadata = AudioMetadata()
      metadata.add(form, bytes, at: 8)
      #expect(metadata.isEmpty)
      #expect(metadata.notices.map(\.description) == ["left out: a tag; damaged, or above 64 MiB"])
    }
  }

  @Test func `ID3 frames that contain no text are reported by name`() {
    var frames: [UInt8] = []
    for (name, body) in [
      ("PRIV", Array("owner\0data".utf8)), ("PCNT", [0, 0, 0, 9]), ("TIT2", [3, 0x61]),
    ] as [(String, [UInt8])] {
      frames += Array(name.utf8) + big(body.count)
      frames += [0, 0] + body
    }
    var metadata = AudioMetadata()
    metadata.add(
      syrinx_tags_id3v2,
      Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, UInt8(frames.count)] + frames, at: 8)
    #expect(metadata.tags == [.title: ["a"]])
    #expect(
      metadata.notices.first?.description.hasPrefix("left out: the parts PCNT, PRIV;") == true)
  }

  @Test func `the labels of cues are read in linear time`() {
    let ratio = growth(to: 8_000, of: wavOfCues) { bytes in
      let metadata = AudioMetadata(
        wav: { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }, at: 8_000)
      #expect(metadata.cues.last?.name == "label")
    }
    #expect(ratio < 9)
  }

  @Test func `cues beyond 10,000 are counted and skipped`() {
    let bytes = wavOfCues(10_003)
    let metadata = AudioMetadata(
      wav: { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }, at: 8_000)
    #expect(metadata.cues.count == 10_000)
    #expect(metadata.notices.first?.description.hasPrefix("left out: 3 cues") == true)
  }

  @Test(arguments: ["flac", "ogg", "opus"])
  func `chapters beyond 999 are not written, and their number is reported`(name: String) throws {
    let cues = (0..<1_001).map { AudioCue(frame: FrameCount($0 * 40), name: "\($0)") }
    let (url, notices) = try write("a.\(name)", AudioMetadata(cues: cues))
    #expect(notices == ["left out: 2 cues and chapters; too many, or too large together"])
    #expect(try AudioFileInfo(url: url).metadata.cues.count == 999)
  }

  @Test(arguments: [255, 256])
  func `an ID3 tag has a table of contents only for up to 255 chapters`(
    count: Int
  ) {
    let cues = (0..<count).map { AudioCue(frame: FrameCount($0 * 441), name: "\($0)") }
    let tag = AudioMetadata(cues: cues).id3Tag(at: 44_100)
    #expect((Data(tag).range(of: Data("CTOC".utf8)) != nil) == (count <= 255))
    var found = AudioMetadata()
    found.add(syrinx_tags_id3v2, tag, at: 44_100)
    #expect(found.cues.map(\.name) == cues.map(\.name))
  }

  @Test func `tag names that WAV cannot store, and unknown chunks, are reported`() throws {
    let (url, notices) = try write("a.wav", AudioMetadata(tags: [AudioTag("GRÖSSE"): ["1"]]))
    #expect(notices.first?.hasPrefix("left out: the tags GRÖSSE;") == true)
    var data = try Data(contentsOf: url) + Data(chunkHead("note", 2) + [1, 2])
    data.replaceSubrange(4..<8, with: little(data.count - 8, 4))
    let info = try AudioFileInfo(url: folder.file("b.wav", data))
    #expect(info.notices.map(\.description) == ["left out: the chunks note; unknown, or damaged"])
    #expect(try AudioFileInfo(url: url).notices.isEmpty)
  }

  @Test(arguments: [0, 6_000])
  func `the tags of MP4 are read after any number of fragments`(fragments: Int) throws {
    let source = folder.file("a.m4a")
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=0.1", "-metadata", "title=Lark", "-c:a", "aac",
      source.path)
    var data = try Data(contentsOf: source)
    let start = try #require(data.range(of: Data("moov".utf8))).lowerBound - 4
    let header = big(16) + Array("mfhd".utf8) + big(0) + big(1)
    let fragment = Data(big(24) + Array("moof".utf8) + header)
    var all = Data()
    for _ in 0..<fragments { all += fragment + big(8) + Array("mdat".utf8) }
    data.insert(contentsOf: all, at: start)
    let url = try folder.file("b.m4a", data)
    guard let set = TagSet() else { throw CancellationError() }
    set.read(mp4: try Descriptor.reading(url.path))
    #expect(set.metadata(at: 44_100).tags[.title] == ["Lark"])
  }

  @Test
  func `a chapter comment with the time of a cue sheet entry gets the entry's exact frame`()
    throws
  {
    let cues = [AudioCue(frame: 0, name: "One"), AudioCue(frame: 22_061, name: "Two")]
    let (url, _) = try write("a.flac", AudioMetadata(cues: cues))
    #expect(try AudioFileInfo(url: url).metadata.cues.map(\.frame) == [0, 22_061])
    // The third chapter is only in the comments, and the second chapter has another time there.
    let replaced = Data("CHAPTER002=00:00:00.500".utf8)
    let other = Data("CHAPTER002=00:00:00.700".utf8)
    var data = try Data(contentsOf: url)
    let place = try #require(data.range(of: replaced))
    data.replaceSubrange(place, with: other)
    let info = try AudioFileInfo(url: folder.file("b.flac", data))
    #expect(info.metadata.cues.map(\.name) == ["One", "Two"])
    #expect(info.metadata.cues.map(\.frame) == [0, 30_870])
    #expect(info.notices.map(\.description).contains { $0.contains("a track of the cue sheet") })
  }

  @Test
  func `an AIFF file without room for its pictures has complete audio and reports the omission`()
    throws
  {
    let file = try GrowingFile(path: folder.file("a.aiff").path)
    let encoding = SoundFileEncoding(.aiff)
    let metadata = AudioMetadata(pictures: [
      AudioPicture([UInt8](repeating: 1, count: 9_000), mediaType: "image/png")
    ])
    let output = try EncodedOutput(
      file, format: cd, encoding: encoding, metadata: metadata, largestAIFF: 10_000)
    let writer = SoundFileWriter(file, output: output, format: cd, encoding: encoding)
    try writer.write(sampleBuffer().frames(0..<1_000))
    try writer.close()
    #expect(writer.notices.first?.description.hasPrefix("left out: the pictures") == true)
    #expect(try everything(folder.file("a.aiff")).count == 2_000)
  }

  @Test func `a cue name that is too long for AIFF is truncated between two characters`() throws {
    let name = String(repeating: "ä", count: 126) + "x" + "ä"
    let (url, _) = try write("a.aiff", AudioMetadata(cues: [AudioCue(frame: 5, name: name)]))
    let stored = Data([253] + Array(name.dropLast().utf8))
    let found = try Data(contentsOf: url).range(of: stored)
    let isCut = found != nil
    #expect(isCut)
  }

  private func write(
    _ name: String, _ metadata: AudioMetadata
  ) throws -> (url: URL, notices: [String]) {
    let ending = folder.file(name).pathExtension
    let encodings: [String: SoundFileEncoding] = [
      "flac": .flac16, "ogg": .oggVorbis, "opus": SoundFileEncoding(.opus), "mp3": .mp3,
      "wav": .wav16, "aiff": SoundFileEncoding(.aiff),
    ]
    let encoding = try #require(encodings[ending])
    let format =
      ending == "opus" ? AudioFormat(sampleRate: 48_000, channelCount: 2) : cd
    let writer = try SoundFileWriter(
      url: folder.file(name), format: format, encoding: encoding, metadata: metadata)
    var buffer = sampleBuffer()
    buffer = AudioBuffer(format: format, samples: buffer.samples, firstFrame: 0)
    try writer.write(buffer)
    try writer.close()
    return (folder.file(name), writer.notices.map(\.description))
  }

  /// Returns a WAV file with `count` cues and labels.
  private func wavOfCues(_ count: Int) -> [UInt8] {
    var (points, labels) = (little(count, 4), Array("adtl".utf8))
    for id in 0..<count {
      points += little(id, 4) + little(id, 4)
      points += Array("data".utf8)
      points += little(0, 8) + little(id, 4)
      labels += chunkHead("labl", 10) + little(id, 4)
      labels += Array("label\0".utf8)
    }
    let head = chunkHead("RIFF", 0) + Array("WAVE".utf8)
    let cues = chunkHead("cue ", points.count) + points
    return head + cues + chunkHead("LIST", labels.count) + labels
  }

  private func ape(_ texts: [String: String]) -> [UInt8] {
    var items: [UInt8] = []
    for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
      items += little(text.utf8.count, 4) + little(0, 4)
      items += Array(key.utf8) + [0]
      items += Array(text.utf8)
    }
    var footer = Array("APETAGEX".utf8)
    footer += little(2_000, 4) + little(items.count + 32, 4)
    footer += little(texts.count, 4) + little(0, 12)
    return items + footer
  }

  private func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
