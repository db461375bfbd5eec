import AudioCore
import AudioThreads
import CTagLib
import Foundation
import TestTools
import Testing

@testable import SoundFile

/// Metadata in several places of a file, and reports of metadata that is not read.
@Suite struct StoredMetadataTests {
  private let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  @Test func `two ID3 tags before FLAC audio are merged with the FLAC comments`() throws {
    let tags: [AudioTag: [String]] = [.title: ["Lark"], .artist: ["Ann", "Bo"]]
    let flac = try Data(contentsOf: write("a.flac", AudioMetadata(tags: tags), .flac16))
    let first = id3([frame("TPE2", text("Band"))])
    let second = id3([frame("TALB", text("Birds")), frame("TPE2", text("Other"))])
    let url = try folder.file("b.flac", Data(first + second) + flac)
    let expected = tags.merging([AudioTag("ALBUMARTIST"): ["Band"], .album: ["Birds"]]) { $1 }
    #expect(try AudioFileInfo(url: url).metadata.tags == expected)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    #expect(try AudioFileInfo(fileDescriptor: pipe.outlet).metadata.tags == expected)
    close(pipe.outlet)
  }

  @Test func `an ID3 chunk of AIFF is merged with the native tags`() throws {
    let url = try write("a.aiff", AudioMetadata(tags: [.title: ["Lark"]]), SoundFileEncoding(.aiff))
    let tag = id3([frame("TPE1", text("Ann"))])
    var data = try Data(contentsOf: url) + Data("ID3 ".utf8) + Data(big(tag.count) + tag)
    if !tag.count.isMultiple(of: 2) { data.append(0) }
    data.replaceSubrange(4..<8, with: big(data.count - 8))
    let found = try AudioFileInfo(url: folder.file("b.aiff", data)).metadata.tags
    #expect(found == [.title: ["Lark"], .artist: ["Ann"]])
  }

  @Test func `a WAV file without a cue chunk has the chapters of its ID3 chunk`() {
    let tag = AudioMetadata(cues: [AudioCue(frame: 8_000, name: "One")]).id3Tag(at: 8_000)
    #expect(read(wav(chunk("id3 ", tag))).cues.map(\.name) == ["One"])
  }

  @Test(arguments: [true, false])
  func `a WAV stream reports that chunks after its audio are not read`(hasTail: Bool) throws {
    var data = try Data(contentsOf: write("a.wav", AudioMetadata()))
    if hasTail { data += chunk("LIST", Array("INFO".utf8) + chunk("INAM", Array("Lark".utf8))) }
    data.replaceSubrange(4..<8, with: little(data.count - 8, 4))
    let pipe = TestPipe()
    try pipe.feed(data)
    let notices = try AudioFileInfo(fileDescriptor: pipe.outlet).notices.map(\.description)
    close(pipe.outlet)
    #expect(notices.count == (hasTail ? 1 : 0))
    #expect(notices.allSatisfy { $0.hasPrefix("left out: any chunks after the audio;") })
  }

  @Test func `entries of a LIST chunk beyond 40,000 are skipped with a notice`() {
    var parts = Array("INFO".utf8)
    for number in 0..<45_000 { parts += chunk("ICMT", Array("\(100_000 + number)".utf8)) }
    let metadata = read(wav(chunk("LIST", parts)))
    #expect(metadata.tags[.comment]?.count == 40_000)
    #expect(
      metadata.notices.map(\.description).contains { $0.contains("the rest of a chunk LIST") })
  }

  @Test(arguments: [(1, 1_000), (3, 60 << 20)])
  func `the tags of MP4 are read up to 128 MiB`(count: Int, size: Int) throws {
    var holes: [(offset: Int, bytes: [UInt8])] = []
    let cover = size + 24
    let list = 8 + count * cover
    var head = big(16) + Array("ftypM4A ".utf8) + big(0)
    head += big(list + 28) + Array("moov".utf8)
    head += big(list + 20) + Array("udta".utf8)
    head += big(list + 12) + Array("meta".utf8) + big(0)
    head += big(list) + Array("ilst".utf8)
    var offset = head.count
    holes.append((0, head))
    for _ in 0..<count {
      let data = big(cover - 8) + Array("data".utf8) + big(14) + big(0)
      holes.append((offset, big(cover) + Array("covr".utf8) + data))
      offset += cover
    }
    let url = try folder.file("a.m4a", Data())
    let file = try FileHandle(forWritingTo: url)
    for hole in holes {
      try file.seek(toOffset: UInt64(hole.offset))
      try file.write(contentsOf: Data(hole.bytes))
    }
    try file.truncate(atOffset: UInt64(offset))
    let found = try read(mp4: url)
    #expect(found.pictures.count == (size == 1_000 ? 1 : 0))
    #expect(found.notices.isEmpty == (size == 1_000))
  }

  @Test
  func `unknown MP4 atoms are reported by name, and freeform atoms of any owner are read as tags`()
    throws
  {
    let text = { (name: String, value: String) in
      atom(name, atom("data", big(1) + big(0) + Array(value.utf8)))
    }
    let free = atom(
      "----",
      atom("mean", big(0) + Array("org.other".utf8)) + atom("name", big(0) + Array("MOOD".utf8))
        + atom("data", big(1) + big(0) + Array("calm".utf8)))
    let list = atom("ilst", text("abcd", "x") + free)
    let udta = atom("udta", atom("meta", big(0) + list))
    let bytes = atom("ftyp", Array("M4A ".utf8) + big(0)) + atom("moov", udta)
    let found = try read(mp4: folder.file("a.m4a", Data(bytes)))
    #expect(found.tags == [AudioTag("MOOD"): ["calm"]])
    #expect(
      found.notices.map(\.description) == [
        "left out: the parts abcd; compressed, encrypted, or not supported"
      ])
  }

  @Test func `pictures in Matroska are reported as not read`() throws {
    let (cover, out) = (folder.file("cover.png"), folder.file("a.mka"))
    try Tool.ffmpeg("-f", "lavfi", "-i", "color=red:size=8x8", "-frames:v", "1", cover.path)
    try Tool.ffmpeg(
      "-f", "lavfi", "-i", "sine=440:duration=0.1", "-attach", cover.path, "-metadata:s:t",
      "mimetype=image/png", "-metadata:s:t", "filename=cover.png", "-c:a", "flac", out.path)
    let notices = try AudioFileInfo(url: out).notices.map(\.description)
    #expect(notices.contains { $0.hasPrefix("left out: the pictures;") }, "\(notices)")
  }

  @Test func `chapters of later Ogg streams are reported as not read`() throws {
    let cues = [AudioCue(frame: 0, name: "One")]
    let plain = try Data(contentsOf: write("a.ogg", AudioMetadata(), .oggVorbis))
    let other = try Data(contentsOf: write("b.ogg", AudioMetadata(cues: cues), .oggVorbis))
    for (name, data, count) in [("c.ogg", plain + other, 1), ("d.ogg", other + plain, 0)] {
      let notices = try AudioFileInfo(url: folder.file(name, data)).notices.map(\.description)
      #expect(notices.count == count)
      #expect(notices.allSatisfy { $0.hasPrefix("left out: the chapters of later streams;") })
    }
  }

  @Test func `texts in an INFO list are UTF-8 or Latin-1, and equal values are merged`() {
    let info =
      Array("INFO".utf8) + chunk("INAM", [0x47, 0x72, 0xF6, 0xDF, 0x65, 0])
      + chunk("IART", Array("Björk".utf8)) + chunk("ITRK", Array("7".utf8))
      + chunk("IPRT", Array("7".utf8)) + chunk("ISRC", Array("tape".utf8))
    let tags = read(wav(chunk("LIST", info))).tags
    #expect(
      tags == [
        .title: ["Größe"], .artist: ["Björk"], .trackNumber: ["7"], AudioTag("SOURCE"): ["tape"],
      ])
    let bytes = AudioMetadata(tags: [AudioTag("SOURCE"): ["tape"]]).wavChunks(at: 8_000)
    #expect(Data(bytes).range(of: Data("ISRC".utf8)) != nil)
  }

  @Test func `NUL characters separate the values of a comment`() throws {
    var found = AudioMetadata()
    let comment = Array("ARTIST=Ann\0Bo".utf8)
    found.add(
      syrinx_tags_vorbis, little(0, 4) + little(1, 4) + little(comment.count, 4) + comment, at: 8)
    #expect(found.tags == [.artist: ["Ann", "Bo"]])
    let url = try write("a.flac", AudioMetadata(tags: [.artist: ["Ann|Bo"]]), .flac16)
    var data = try Data(contentsOf: url)
    let place = try #require(data.range(of: Data("Ann|Bo".utf8)))
    data[place.lowerBound + 3] = 0
    let tags = try AudioFileInfo(url: folder.file("b.flac", data)).metadata.tags
    #expect(tags == [.artist: ["Ann", "Bo"]])
  }

  @Test func `a comment's name counts toward the text limit once for each of the comment's values`()
  {
    let comment = Array("\(String(repeating: "N", count: 300_000))=".utf8)
    let values = [UInt8](repeating: 0, count: 2 * 300).enumerated().map { $0 % 2 == 0 ? 97 : $1 }
    let bytes = little(0, 4) + little(1, 4) + little(comment.count + values.count, 4)
    var found = AudioMetadata()
    found.add(syrinx_tags_vorbis, bytes + comment + values, at: 8)
    let count = found.tags.values.reduce(0) { $0 + $1.count }
    #expect((40...60).contains(count), "\(count)")
    #expect(found.notices.first?.description.contains("of text") == true)
  }

  @Test func `a name after a NUL character in a Vorbis comment does not become a tag`() {
    let comment = Array("A\0TITLE=Lark\0B".utf8)
    var found = AudioMetadata()
    found.add(
      syrinx_tags_vorbis, little(0, 4) + little(1, 4) + little(comment.count, 4) + comment, at: 8)
    #expect(found.tags.keys.allSatisfy { !$0.name.contains("\0") })
    #expect(found.tags[.title] == nil)
  }

  @Test
  func `each value of a FLAC comment that is split at NUL characters counts toward the limit`()
    throws
  {
    let text = String(repeating: "a|", count: 20_000)
    var data = try Data(
      contentsOf: write("a.flac", AudioMetadata(tags: [.artist: [text]]), .flac16))
    let place = try #require(data.range(of: Data(text.utf8)))
    data.replaceSubrange(place, with: text.utf8.map { $0 == UInt8(ascii: "|") ? 0 : $0 })
    let info = try AudioFileInfo(url: folder.file("b.flac", data))
    #expect(info.metadata.tags[.artist]?.count == 10_000)
    #expect(info.notices.contains { $0.description.contains("beyond 10,000 of them") })
  }

  @Test func `ID3 tags after the 16th are skipped with a notice, in files and pipes`() throws {
    let tags = (0..<100).flatMap { id3([frame("TXXX", text("N\($0)\0x"))]) }
    let mp3 = try Data(contentsOf: write("a.mp3", AudioMetadata(), .mp3))
    let url = try folder.file("b.mp3", Data(tags) + mp3)
    let pipe = TestPipe()
    try pipe.feed(Data(contentsOf: url))
    for info in [
      try AudioFileInfo(url: url), try AudioFileInfo(fileDescriptor: pipe.outlet),
    ] {
      #expect(info.metadata.tags.count == 16)
      let lost = info.notices.map(\.description).filter { $0.contains("ID3 tags; more than 16") }
      #expect(lost.count == 1, "\(info.notices)")
    }
    close(pipe.outlet)
  }

  @Test func `a LIST entry with an invalid name ends the list with a notice`() {
    let parts = chunk("INAM", Array("Lark".utf8)) + chunk("no\u{7F}t", Array("x".utf8))
    let metadata = read(wav(chunk("LIST", Array("INFO".utf8) + parts)))
    #expect(metadata.tags == [.title: ["Lark"]])
    #expect(
      metadata.notices.map(\.description) == [
        "left out: the rest of a chunk LIST; damaged, or beyond 40,000 parts"
      ])
  }

  @Test func `a chapter that begins after the announced end of the audio keeps its length`() {
    var metadata = AudioMetadata(cues: [
      AudioCue(frame: 0, length: 2_500), AudioCue(frame: 2_500, length: 1_000),
    ])
    let plain = metadata
    metadata.closeOpenChapters(at: 2_000)
    #expect(metadata == plain)
  }

  @Test func `chapters keep their exact frames when a file is copied repeatedly`() {
    let times = (0..<100).map { FrameCount(.milliseconds($0 * 37), at: 44_100) }
    var metadata = AudioMetadata(cues: times.map { AudioCue(frame: $0, name: "x") })
    for _ in 0..<3 { metadata = read(id3: metadata.id3Tag(at: 44_100)) }
    #expect(metadata.cues.map(\.frame) == times)
  }

  @Test func `a chapter whose end is unknown ends with the audio`() throws {
    let tag = AudioMetadata(cues: [AudioCue(frame: 4_410, name: "One")]).id3Tag(at: 44_100)
    #expect(read(id3: tag).cues.map(\.length) == [nil])
    let url = try write("a.mp3", AudioMetadata(), .mp3)
    let cues = try AudioFileInfo(
      url: folder.file("b.mp3", Data(tag) + Data(contentsOf: url))
    ).metadata.cues
    #expect(cues == [AudioCue(frame: 4_410, name: "One", length: 44_100 - 4_410)])
  }

  @Test
  func `unknown ID3 frames in chapters are reported by name; incomplete chapters are counted`() {
    let times = [UInt8](repeating: 0, count: 16)
    let body = Array("c\0".utf8) + times + frame("TIT2", text("One")) + frame("WXXX", [0, 0, 0x61])
    let metadata = read(id3: id3([frame("CHAP", body), frame("CHAP", Array("d\0".utf8))]))
    #expect(metadata.cues.map(\.name) == ["One"])
    let notices = metadata.notices.map(\.description)
    #expect(notices.contains { $0.hasPrefix("left out: the parts CHAP/WXXX;") }, "\(notices)")
    #expect(notices.contains { $0.hasPrefix("left out: a part of the tags;") }, "\(notices)")
  }

  @Test func `comments and lyrics are written as separate kinds of ID3 frames`() {
    let tags: [AudioTag: [String]] = [
      .comment: ["one", "two"], AudioTag("LYRICS"): ["la", "lo"], .title: ["Lark"],
    ]
    let tag = AudioMetadata(tags: tags).id3Tag(at: 8_000)
    #expect(Data(tag).range(of: Data("TXXX".utf8)) == nil)
    #expect(read(id3: tag).tags == tags)
  }

  @Test(arguments: [SoundFileEncoding.Container.flac, .vorbis, .opus])
  func `tags with the names of chapter comments are skipped and reported`(
    container: SoundFileEncoding.Container
  ) {
    let tags: [AudioTag: [String]] = [
      .title: ["Lark"], AudioTag("CHAPTER001"): ["soon"], AudioTag("CHAPTER001URL"): ["x"],
    ]
    let stored = container.storable(
      AudioMetadata(tags: tags, cues: [AudioCue(frame: 9)]), at: 48_000, isStream: false)
    #expect(stored.metadata.tags == [.title: ["Lark"]])
    #expect(
      stored.notices.map(\.description) == [
        "left out: the tags CHAPTER001, CHAPTER001URL; the chapters have these names"
      ])
    let plain = container.storable(AudioMetadata(tags: tags), at: 48_000, isStream: false)
    #expect(plain.metadata.tags == tags && plain.notices.isEmpty)
  }

  @Test(arguments: [(40_000, 0), (20_000, 1)])
  func `cue lengths that a format cannot store are reported`(
    length: Int, count: Int
  ) {
    var metadata = AudioMetadata(cues: [
      AudioCue(frame: 0, length: FrameCount(length)), AudioCue(frame: 40_000, length: 40_000),
    ])
    metadata.audioLength = 80_000
    for container in [SoundFileEncoding.Container.flac, .vorbis, .opus, .aiff] {
      let lost = container.storable(metadata, at: 48_000, isStream: false).notices.map(
        \.description)
      #expect(lost.count == count)
      #expect(lost.allSatisfy { $0.contains("the lengths of cues and chapters") })
    }
    #expect(
      SoundFileEncoding.Container.mp3.storable(metadata, at: 48_000, isStream: false).notices
        .isEmpty)
  }

  @Test func `text that begins like an image is not taken for a cover`() {
    #expect(AudioPicture(file: Array("BMW is a car".utf8)) == nil)
    #expect(AudioPicture(file: Array("fourfourWEBP".utf8)) == nil)
    let bitmap = Array("BM".utf8) + little(26, 4) + [UInt8](repeating: 0, count: 20)
    #expect(AudioPicture(file: bitmap)?.mediaType == "image/bmp")
    #expect(AudioPicture(file: Array("RIFF\0\0\0\0WEBP".utf8))?.mediaType == "image/webp")
  }

  private func write(
    _ name: String, _ metadata: AudioMetadata, _ encoding: SoundFileEncoding = .wav16
  ) throws -> URL {
    let writer = try SoundFileWriter(
      url: folder.file(name), format: cd, encoding: encoding, metadata: metadata)
    try writer.write(sampleBuffer())
    try writer.close()
    return folder.file(name)
  }

  private func read(_ bytes: [UInt8]) -> AudioMetadata {
    AudioMetadata(
      wav: { offset, count in Array(bytes.dropFirst(offset).prefix(count)) }, at: 8_000)
  }

  private func read(id3 bytes: [UInt8]) -> AudioMetadata {
    var metadata = AudioMetadata()
    metadata.add(syrinx_tags_id3v2, bytes, at: 44_100)
    return metadata
  }

  private func read(mp4 url: URL) throws -> AudioMetadata {
    guard let set = TagSet() else { throw CancellationError() }
    set.read(mp4: try Descriptor.reading(url.path))
    return set.metadata(at: 44_100)
  }

  private func wav(_ chunks: [UInt8]) -> [UInt8] {
    chunkHead("RIFF", 4 + chunks.count) + Array("WAVE".utf8) + chunks
  }

  private func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
    AudioMetadata.Chunk(name: name, content: content).bytes
  }

  private func text(_ text: String) -> [UInt8] { [3] + Array(text.utf8) }

  private func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
    Array(name.utf8) + big(body.count) + [0, 0] + body
  }

  private func id3(_ frames: [[UInt8]]) -> [UInt8] {
    let all = frames.flatMap(\.self)
    return Array("ID3".utf8) + [4, 0, 0, 0, 0, UInt8(all.count >> 7), UInt8(all.count & 0x7F)] + all
  }

  private func atom(_ name: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + Array(name.utf8) + content
  }

  private func big(_ value: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
  }
}
