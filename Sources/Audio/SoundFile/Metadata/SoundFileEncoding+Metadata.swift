package import AudioCore
import CTagLib

extension SoundFileEncoding.Container {
  /// Returns the metadata that a file of this kind can store, with notices about other metadata.
  ///
  /// - Parameters:
  ///   - metadata: the metadata to store.
  ///   - rate: the rate of the positions.
  ///   - isStream: whether the file is written to a pipe.
  package func storable(
    _ metadata: AudioMetadata, at rate: SampleRate, isStream: Bool
  ) -> (metadata: AudioMetadata, notices: [SoundFileNotice]) {
    let holdsAll =
      [.flac, .vorbis, .opus, .mp3, .aiff].contains(self) || (self == .wav && !isStream)
    var result = metadata
    let isNumbered = hasChapterComments && !metadata.cues.isEmpty
    let numbered = isNumbered ? metadata.tags.filter(\.key.isWrittenForChapters) : [:]
    for tag in numbered.keys { result.tags[tag] = nil }
    let tags = result.tags.filter { tag, values in
      guard !tag.isEncoder else { return false }
      if self == .caf { return values.count != 1 || !AudioTag.common.contains(tag) }
      return !holdsAll || !tag.isStorable
    }
    let names = { (tags: [AudioTag: [String]]) in
      tags.isEmpty ? nil : "the tags " + tags.inOrder.map(\.tag.name).joined(separator: ", ")
    }
    // Chunks with cues are not listed, because their cues are also in `cues`.
    let chunks = metadata.chunks.filter { !$0.hasCues }.map(\.name)
    let hasNotes = metadata.chunks.contains(where: \.hasNotes)
    let lost: [String?] = [
      names(tags),
      holdsAll || metadata.pictures.isEmpty ? nil : "the pictures",
      holdsAll || metadata.cues.isEmpty ? nil : "the cues and chapters",
      !hasNotes || (self == .wav && !isStream) ? nil : "the notes of cues",
      chunks.isEmpty || (self == .wav && !isStream)
        ? nil : "the chunks \(chunks.map(\.withoutSpaces).joined(separator: ", "))",
    ]
    let hasNoLengths = hasChapterComments || self == .aiff
    let hasLengths = hasNoLengths && metadata.hasOwnLengths(at: rate)
    let lengths = hasLengths ? ["the lengths of cues and chapters"] : []
    let excess = holdsAll ? result.fit(self) : []
    let reason = "\(self)\(isStream && self == .wav ? " in a pipe" : "") has no place for them"
    let notices =
      Self.notice(lost.compactMap(\.self), reason)
      + Self.notice(lengths, "\(self) has only their beginnings")
      + Self.notice([names(numbered)].compactMap(\.self), "the chapters have these names")
      + Self.notice(excess, "too many, or too large together")
    return (result, notices)
  }

  private static func notice(_ lost: [String], _ reason: String) -> [SoundFileNotice] {
    lost.isEmpty ? [] : [.omitted(lost.joined(separator: ", "), reason: reason)]
  }

  /// The maximum number of cues that are written to a file and read from it.
  fileprivate var mostCues: Int {
    switch self {
    // A chapter takes two ID3 frames, and a reader accepts at most `SYRINX_MOST_FRAMES` of them.
    case .mp3: 4_000
    case .flac, .vorbis, .opus: AudioMetadata.mostChapters
    default: AudioMetadata.mostCues
    }
  }
}

extension AudioMetadata {
  /// Whether the length of any cue differs from its distance to the next cue, or to the end of the
  /// audio.
  fileprivate func hasOwnLengths(at rate: SampleRate) -> Bool {
    // Small differences are ignored, because times in milliseconds are rounded, and the end of
    // lossy audio is not exact.
    let tolerance = FrameCount(.milliseconds(100), at: rate)
    let cues = cues.sorted { $0.frame < $1.frame }
    return cues.enumerated().contains { index, cue in
      let next = index + 1 < cues.count ? cues[index + 1].frame : audioLength
      guard let length = cue.length, let next else { return false }
      return abs((cue.frame + length - next).rawValue) > tolerance.rawValue
    }
  }

  /// The maximum total size of the texts to write, in bytes; it fits in a FLAC block.
  private static let largestTexts = 15 << 20

  /// Removes the metadata that exceeds the limits of our reader; returns the names of the removed
  /// parts.
  fileprivate mutating func fit(_ container: SoundFileEncoding.Container) -> [String] {
    var room = Self.largestTexts
    var places = Int(SYRINX_MOST_FRAMES)
    let cost = { (texts: String...) -> Int in texts.reduce(64) { $0 + $1.utf8.count } }
    let kept = cues.prefix(container.mostCues).prefix { cue in
      room -= cost(cue.name)
      return room >= 0
    }
    room = max(0, room)
    places -= pictures.count
    places -= container == .mp3 || container.hasChapterComments ? 2 * kept.count : 0
    let lostCues = (cues.count - kept.count).of("a cue", "cues and chapters")
    if lostCues != nil { cues = Array(kept) }
    var names: [String] = []
    for (tag, values) in tags.inOrder where tag.isStorable {
      let kept = values.filter { value in
        let size = cost(tag.name, value)
        guard size <= room, places > 0 else { return false }
        (room, places) = (room - size, places - 1)
        return true
      }
      guard kept.count < values.count else { continue }
      names.append(tag.name)
      tags[tag] = kept.isEmpty ? nil : kept
    }
    let count = pictures.count
    fitPictures(container)
    let lostPictures = (count - pictures.count).of("a picture", "pictures")
    let values = names.isEmpty ? nil : "values of \(names.joined(separator: ", "))"
    return [values, lostPictures, lostCues, fitChunks()].compactMap(\.self)
  }

  private mutating func fitPictures(_ container: SoundFileEncoding.Container) {
    var room = Int(SYRINX_LARGEST_TAG) - Int(SYRINX_LARGEST_TEXTS)
    pictures = pictures.filter { picture in
      var size = picture.content.count + picture.mediaType.utf8.count + picture.text.utf8.count
      size += 64
      if container == .flac, size > Self.largestFLACBlock { return false }
      // A comment contains a picture as Base64 text, which is a third longer.
      if container.hasChapterComments, container != .flac { size += size / 3 }
      guard size <= room else { return false }
      room -= size
      return true
    }
  }

  /// Removes the chunks that exceed the total size; returns the names of the removed chunks.
  private mutating func fitChunks() -> String? {
    var (room, names): (Int, [String]) = (Int(SYRINX_LARGEST_TAG), [])
    chunks = chunks.filter { chunk in
      let fits = chunk.content.count <= room
      if fits { room -= chunk.content.count } else { names.append(chunk.name.withoutSpaces) }
      return fits
    }
    return names.isEmpty ? nil : "the chunks \(names.joined(separator: ", "))"
  }
}

extension SoundFileEncoding.Container {
  /// Whether chapters are stored as comments.
  fileprivate var hasChapterComments: Bool { [.flac, .vorbis, .opus].contains(self) }
}

extension String {
  /// The name of a chunk without its padding spaces.
  var withoutSpaces: String { String(prefix { $0 != " " }) }
}
