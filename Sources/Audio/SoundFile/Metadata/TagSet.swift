import AudioCore
import AudioThreads
import CTagLib

/// The owner of texts, pictures, and chapters that TagLib reads and writes.
struct TagSet: ~Copyable {
  private let handle: OpaquePointer

  /// Creates an empty set; returns nil if memory runs out.
  init?() {
    guard let handle = syrinx_tags_create() else { return nil }
    self.handle = handle
  }

  deinit {
    syrinx_tags_destroy(handle)
  }

  /// Adds the tags in `bytes`; damaged tags are skipped.
  func read(_ form: syrinx_tags_form, _ bytes: [UInt8]) {
    _ = syrinx_tags_read(handle, form, bytes, bytes.count)
  }

  /// Adds the tags of an MP4 file; damaged tags are skipped.
  func read(mp4 file: Descriptor) {
    _ = syrinx_tags_read_mp4(handle, file.number)
  }

  /// Returns all metadata that was read.
  ///
  /// - Parameter rate: the sample rate of the chapters' positions.
  func metadata(at rate: SampleRate) -> AudioMetadata {
    var metadata = AudioMetadata()
    for index in 0..<syrinx_tags_text_count(handle) {
      metadata.tags.add(
        String(cString: syrinx_tags_key(handle, index)),
        String(cString: syrinx_tags_text(handle, index)))
    }
    for index in 0..<syrinx_tags_picture_count(handle) { metadata.pictures.append(picture(index)) }
    for index in 0..<syrinx_tags_chapter_count(handle) {
      let start = Int(syrinx_tags_chapter_start(handle, index))
      let end = syrinx_tags_chapter_end(handle, index)
      var cue = AudioCue(
        frame: FrameCount(.milliseconds(start), at: rate),
        name: String(cString: syrinx_tags_chapter_title(handle, index)))
      // The largest number means an unknown end.
      cue.isOpen = end == .max
      if !cue.isOpen {
        cue.length = FrameCount(.milliseconds(max(start, Int(end))), at: rate) - cue.frame
      }
      metadata.cues.append(cue)
    }
    metadata.cues.sort { $0.frame < $1.frame }
    metadata.notices = losses
    return metadata
  }

  /// Notices about the metadata that was not read.
  private var losses: [SoundFileNotice] {
    let names = String(cString: syrinx_tags_unsupported(handle)).split(separator: "\n")
    let pictures = syrinx_tags_oversized(handle).of("a picture", "pictures")
    let parts = syrinx_tags_excess(handle).of("a part of the tags", "parts of the tags")
    let tags = syrinx_tags_damaged(handle).of("a tag", "tags")
    let frames = names.isEmpty ? nil : "the parts \(names.joined(separator: ", "))"
    let lost: [(what: String?, reason: String)] = [
      (pictures, "incomplete, or above 64 MiB"),
      (parts, "incomplete, above 16 MiB of text, or beyond 10,000 of them"),
      (tags, "damaged, or above 64 MiB"), (frames, "compressed, encrypted, or not supported"),
    ]
    return lost.compactMap { what, reason in
      what.map { SoundFileNotice.omitted($0, reason: reason) }
    }
  }

  private func picture(_ index: Int) -> AudioPicture {
    var count = 0
    let bytes = syrinx_tags_picture_bytes(handle, index, &count)
    return AudioPicture(
      Array(UnsafeBufferPointer(start: bytes, count: count)),
      mediaType: String(cString: syrinx_tags_picture_media_type(handle, index)),
      kind: AudioPicture.known(Int(syrinx_tags_picture_type(handle, index))),
      text: String(cString: syrinx_tags_picture_description(handle, index)))
  }
}

extension TagSet {
  /// Adds tags with their values, in order.
  func add(_ tags: [AudioTag: [String]]) {
    for (tag, values) in tags.inOrder where tag.isStorable {
      for value in values.flatMap({ $0.split(separator: "\0") }) {
        _ = syrinx_tags_add_text(handle, tag.name, String(value))
      }
    }
  }

  /// Adds pictures, in order.
  func add(_ pictures: [AudioPicture]) {
    for picture in pictures {
      _ = syrinx_tags_add_picture(
        handle, UInt32(AudioPicture.known(picture.kind)), picture.mediaType, picture.text,
        picture.content, picture.content.count, picture.size)
    }
  }

  /// Adds cues as chapters; a chapter of unknown length extends to the next chapter.
  ///
  /// `end` is the end of the last chapter; nil if it is unknown.
  func add(_ cues: [AudioCue], at rate: SampleRate, end: FrameCount?) {
    var chapters = AudioMetadata(cues: AudioMetadata.chapters(cues))
    chapters.closeChapters(at: end)
    let milliseconds = { (frame: FrameCount) in
      UInt32(clamping: frame.duration(at: rate).wholeMilliseconds)
    }
    for (cue, chapter) in zip(cues.sorted { $0.frame < $1.frame }, chapters.cues) {
      let end = (cue.length ?? chapter.length).map { milliseconds(cue.frame + $0) } ?? .max
      _ = syrinx_tags_add_chapter(handle, milliseconds(cue.frame), end, cue.name)
    }
  }

  /// Returns all added metadata as a tag of the format `form`; empty if nothing was added.
  func rendered(_ form: syrinx_tags_form) -> [UInt8] {
    var count = 0
    let bytes = syrinx_tags_render(handle, form, &count)
    return Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Returns the pictures as the contents of FLAC blocks.
  func pictureBlocks() -> [[UInt8]] {
    var blocks: [[UInt8]] = []
    for index in 0..<syrinx_tags_picture_count(handle) {
      var count = 0
      let bytes = syrinx_tags_render_picture(handle, index, &count)
      blocks.append(Array(UnsafeBufferPointer(start: bytes, count: count)))
    }
    return blocks
  }
}

extension BinaryInteger {
  /// Returns the number with a noun, such as `2 pictures`; nil for 0.
  func of(_ one: String, _ several: String) -> String? {
    self == 0 ? nil : self == 1 ? one : "\(self) \(several)"
  }
}

extension AudioPicture {
  /// Returns a picture's kind if it fits ID3's single byte; otherwise 0.
  static func known(_ kind: Int) -> Int { (0...255).contains(kind) ? kind : 0 }
}

extension AudioMetadata {
  /// Returns an ID3 tag, version 2.4, with everything except the WAV chunks; empty if there is
  /// nothing to store.
  ///
  /// - Parameters:
  ///   - rate: the rate of the cues.
  ///   - hasChapters: whether to store the cues as chapters.
  func id3Tag(at rate: SampleRate, hasChapters: Bool = true) -> [UInt8] {
    guard let set = TagSet() else { return [] }
    set.add(tags)
    set.add(pictures)
    if hasChapters { set.add(cues, at: rate, end: audioLength) }
    return set.rendered(syrinx_tags_id3v2)
  }

  /// Returns Vorbis comments without the packet's signature.
  ///
  /// - Parameters:
  ///   - rate: the rate of the cues.
  ///   - hasPictures: whether to store the pictures; FLAC stores them in separate blocks.
  func vorbisComments(at rate: SampleRate, hasPictures: Bool = true) -> [UInt8] {
    // A file must have this packet. Without comments, the packet contains only the vendor's name.
    let none = little(6, 4) + Array("Syrinx".utf8) + little(0, 4)
    guard let set = TagSet() else { return none }
    set.add(tags)
    set.add(chapterComments(at: rate))
    if hasPictures { set.add(pictures) }
    let comments = set.rendered(syrinx_tags_vorbis)
    return comments.isEmpty ? none : comments
  }

  /// Reads the tag in `bytes`, which has the format `form`, and adds only the tags and parts that
  /// this metadata lacks.
  mutating func add(_ form: syrinx_tags_form, _ bytes: [UInt8], at rate: SampleRate) {
    guard !bytes.isEmpty, let set = TagSet() else { return }
    set.read(form, bytes)
    self = completed(by: set.metadata(at: rate))
  }
}
