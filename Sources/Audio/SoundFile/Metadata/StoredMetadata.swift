import AudioCore
import AudioThreads
import CTagLib

/// The metadata of a file or stream, read at its first use.
final class StoredMetadata {
  /// The file whose metadata is read; nil if it is a stream.
  var file: Descriptor?
  /// The ID3 tags before the audio of a stream.
  var id3: [[UInt8]] = []
  /// The first bytes of a stream, if streams of its kind store tags there.
  var head: [UInt8] = []

  private var value: AudioMetadata?
  private var notices: [SoundFileNotice] = []
  /// The number of ID3 tags of a stream that were not kept.
  private var lostTags = 0

  /// The maximum number of bytes of a stream's ID3 tags to keep in memory.
  static let longestTag = 1 << 24
  /// The maximum number of bytes of a file's ID3 tags before the audio.
  private static let longest = Int(SYRINX_LARGEST_TAG)
  /// The maximum number of ID3 tags before the audio; merging a tag takes longer with each earlier
  /// tag.
  private static let mostTags = 16

  /// Inspects the beginning of a stream, up to its audio, and keeps the bytes that contain
  /// metadata.
  func keep(_ stream: StreamInput) throws(SoundFileError) {
    let bytes = { (offset: Int, count: Int) throws(SoundFileError) in
      try stream.bytes(at: offset, count: count)
    }
    if try bytes(0, 4).elementsEqual("OggS".utf8) {
      head = try bytes(0, try OggPage.lengthOfTwoPackets(bytes))
    } else if let layout = try WAVLayout(bytes: bytes) {
      head = try bytes(0, layout.audioStart)
      let (size, end) = (head.little(at: 4, 4), layout.audioStart + (layout.audioSize ?? .max / 2))
      // `size` does not count the file's first 8 bytes, so the file ends at `size` + 8. Another
      // chunk needs a header of 8 bytes after the padded `end`, so it exists only if `size` exceeds
      // the padded `end`. Streaming writers store a placeholder near the maximum.
      guard layout.mark == "RIFF", size > end + end % 2, size < 0xFFFF_FF00 else { return }
      notices = [
        .omitted(
          "any chunks after the audio", reason: "a stream is read only up to the end of its audio"
        )
      ]
    }
  }

  /// Keeps an ID3 tag of a stream.
  func keep(id3 tag: [UInt8]) {
    let size = id3.reduce(0) { $0 + $1.count }
    if id3.count < Self.mostTags, size + tag.count <= Self.longestTag {
      id3.append(tag)
    } else {
      lostTags += 1
    }
  }

  /// Returns the metadata, completed by the metadata of the decoder.
  func value(of decoder: any SoundDecoder) -> AudioMetadata {
    if let value { return value }
    let rate = decoder.format.sampleRate
    var found = AudioMetadata()
    if let file {
      found = Self.read(file, at: rate)
    } else {
      for tag in id3 { found.add(syrinx_tags_id3v2, tag, at: rate) }
      found.noteLost(tags: lostTags, "16 MiB")
      let head = head
      found = found.completed(
        by: Self.read(at: rate) { offset, count in Array(head.dropFirst(offset).prefix(count)) })
    }
    found.notices += notices
    let own = decoder.metadata
    var value =
      decoder is FFmpegDecoder ? found.completed(byFFmpeg: own) : found.completed(by: own)
    if let end = decoder.announcedFrameCount { value.closeOpenChapters(at: end) }
    self.value = value
    return value
  }

  private static func read(_ file: Descriptor, at rate: SampleRate) -> AudioMetadata {
    var metadata = AudioMetadata()
    let size = file.size
    var (offset, count, total, lost) = (0, 0, 0, 0)
    while case let length = FileKind.tagLength(file.bytes(at: offset, count: 10)),
      length > 0, offset + length < size
    {
      if count < mostTags, count == 0 || total + length <= longest {
        metadata.add(
          syrinx_tags_id3v2, file.bytes(at: offset, count: min(length, longest)), at: rate)
        (count, total) = (count + 1, total + length)
      } else {
        lost += 1
      }
      offset += length
    }
    metadata.noteLost(tags: lost, "64 MiB")
    let bytes = { (place: Int, count: Int) in
      file.bytes(at: offset + place, count: max(0, min(count, size - offset - place)))
    }
    metadata = metadata.completed(by: read(at: rate, bytes: bytes))
    if bytes(4, 4).elementsEqual("ftyp".utf8), let set = TagSet() {
      set.read(mp4: file)
      metadata = metadata.completed(by: set.metadata(at: rate))
    }
    if !["RIFF", "RF64", "BW64", "FORM", "OggS", "fLaC"].contains(mark(bytes)) {
      metadata.addTail(of: file, at: rate)
    }
    return metadata
  }

  /// Returns the first four bytes as text.
  private static func mark(_ bytes: (_ offset: Int, _ count: Int) -> [UInt8]) -> String {
    String(decoding: bytes(0, 4), as: UTF8.self)
  }

  /// Reads the metadata at the beginning of a file, and in the chunks of WAV and AIFF.
  ///
  /// The decoder of FLAC reads the metadata of FLAC files.
  static func read(
    at rate: SampleRate, bytes: (_ offset: Int, _ count: Int) -> [UInt8]
  ) -> AudioMetadata {
    switch mark(bytes) {
    case "RIFF" where bytes(8, 4).elementsEqual("WAVE".utf8), "RF64", "BW64":
      return AudioMetadata(wav: bytes, at: rate)
    case "FORM": return AudioMetadata(aiff: bytes, at: rate)
    case "OggS":
      var metadata = AudioMetadata()
      metadata.add(syrinx_tags_vorbis, OggPage.comments(bytes) ?? [], at: rate)
      metadata.readChapterComments(at: rate)
      return metadata
    default: return AudioMetadata()
    }
  }
}

extension AudioMetadata {
  /// Returns the metadata completed by ffprobe's report.
  ///
  /// The report's tags are used only if this metadata has no tags, because FFmpeg renames some
  /// tags. The report's notice about pictures applies only if no picture was read.
  func completed(byFFmpeg other: AudioMetadata) -> AudioMetadata {
    var other = other
    if !tags.isEmpty { other.tags = [:] }
    if !pictures.isEmpty { other.notices = [] }
    return completed(by: other)
  }

  /// Reports ID3 tags that were not read.
  fileprivate mutating func noteLost(tags count: Int, _ limit: String) {
    guard let lost = count.of("an ID3 tag", "ID3 tags") else { return }
    notices.append(.omitted(lost, reason: "more than 16, or above \(limit) together"))
  }

  /// Adds the tags at the end of a file: APE, and ID3 version 1 if there are no other tags.
  fileprivate mutating func addTail(of file: Descriptor, at rate: SampleRate) {
    let lastSize = 128
    let last = file.bytes(at: max(0, file.size - lastSize), count: lastSize)
    let hasID3 = last.count == lastSize && last.starts(with: "TAG".utf8)
    let end = file.size - (hasID3 ? lastSize : 0)
    let footer = end < 32 ? [] : file.bytes(at: end - 32, count: 32)
    if footer.count == 32, footer.starts(with: "APETAGEX".utf8) {
      let size = footer[12..<16].reversed().reduce(0) { $0 << 8 | Int($1) }
      if size >= 32, size <= end, size <= Int(SYRINX_LARGEST_TAG) {
        add(syrinx_tags_ape, file.bytes(at: end - size, count: size), at: rate)
      }
    }
    if tags.isEmpty, hasID3 { add(syrinx_tags_id3v1, last, at: rate) }
  }
}
