public import AudioCore

/// The contents of a sound file besides its audio.
public struct AudioMetadata: Equatable, Sendable {
  /// The tags, each with its values in the order of the file.
  public var tags: [AudioTag: [String]]
  /// The pictures, such as a cover.
  public var pictures: [AudioPicture]
  /// The cues and the chapters, in the order of the file.
  public var cues: [AudioCue]
  /// The chunks of a WAV file that only WAV can hold, such as `bext` and `iXML`.
  ///
  /// Their cues are also in `cues`. A writer of WAV files writes these chunks.
  public var chunks: [Chunk]
  /// The length of the audio, for a writer; nil if it is unknown.
  package var audioLength: FrameCount?
  /// The parts of the file's metadata that could not be read.
  package var notices: [SoundFileNotice] = []

  /// A chunk of a WAV file.
  public struct Chunk: Hashable, Sendable {
    /// The name, which has four characters.
    public let name: String
    /// The bytes after the chunk's name and size.
    public var content: [UInt8]

    /// Creates a chunk.
    public init(name: String, content: [UInt8]) {
      (self.name, self.content) = (name, content)
    }
  }

  /// Creates metadata; without arguments, it is empty.
  public init(
    tags: [AudioTag: [String]] = [:], pictures: [AudioPicture] = [], cues: [AudioCue] = [],
    chunks: [Chunk] = []
  ) {
    (self.tags, self.pictures, self.cues, self.chunks) = (tags, pictures, cues, chunks)
  }

  /// Whether there is no metadata.
  public var isEmpty: Bool {
    tags.isEmpty && pictures.isEmpty && cues.isEmpty && chunks.isEmpty
  }
}

/// A picture in a sound file.
public struct AudioPicture: Hashable, Sendable {
  /// The `kind` of a front cover.
  public static let frontCover = 3

  /// The subject as an ID3 picture type: 3 is the front cover, 4 the back cover, and 0 unspecified.
  public var kind: Int
  /// The media type, such as `image/png`.
  public var mediaType: String
  /// A description, which may be empty.
  public var text: String
  /// The bytes of the picture's file.
  public var content: [UInt8]

  /// Creates a picture.
  public init(
    _ content: [UInt8], mediaType: String, kind: Int = frontCover, text: String = ""
  ) {
    (self.content, self.mediaType, self.kind, self.text) = (content, mediaType, kind, text)
  }

  /// Creates a front cover from a file of PNG, JPEG, GIF, WebP, or BMP; nil for other bytes.
  public init?(file bytes: [UInt8]) {
    let begins = { (mark: [UInt8]) in bytes.starts(with: mark) }
    let isWebP = begins(Array("RIFF".utf8)) && bytes.dropFirst(8).starts(with: "WEBP".utf8)
    // A text may also begin with "BM", but then the size of the file does not follow.
    let isBMP = begins(Array("BM".utf8)) && bytes.little(at: 2, 4) == bytes.count
    let types: [(name: String, isFound: Bool)] = [
      ("png", begins([0x89, 0x50, 0x4E, 0x47])), ("jpeg", begins([0xFF, 0xD8, 0xFF])),
      ("gif", begins(Array("GIF8".utf8))), ("webp", isWebP), ("bmp", isBMP),
    ]
    guard let type = types.first(where: \.isFound)?.name else { return nil }
    self.init(bytes, mediaType: "image/\(type)")
  }
}

/// A cue in a sound file, or a chapter.
public struct AudioCue: Hashable, Sendable {
  /// The index of the first frame of the cue.
  public var frame: FrameCount
  /// The cue's text, which may be empty.
  public var name: String
  /// The length of a chapter; nil if this is a cue, or if the chapter's end is unknown.
  public var length: FrameCount?
  /// Whether the cue is a chapter that lasts up to the unknown end of the audio.
  package var isOpen = false

  /// Creates a cue at a frame, or a chapter if `length` is not nil.
  public init(frame: FrameCount, name: String = "", length: FrameCount? = nil) {
    (self.frame, self.name, self.length) = (frame, name, length)
  }
}

extension AudioMetadata {
  /// Returns this metadata with the tags and parts that only `other` has; existing tags and parts
  /// are unchanged.
  func completed(by other: AudioMetadata) -> AudioMetadata {
    var result = self
    result.tags.merge(other.tags) { own, _ in own }
    if pictures.isEmpty { result.pictures = other.pictures }
    if cues.isEmpty { result.cues = other.cues }
    if chunks.isEmpty { result.chunks = other.chunks }
    result.notices += other.notices.filter { !notices.contains($0) }
    return result
  }

  /// Turns cues into chapters that last until the next cue; the end of the last chapter is unknown.
  static func chapters(_ cues: [AudioCue]) -> [AudioCue] {
    let cues = cues.sorted { $0.frame < $1.frame }
    return cues.indices.map { index in
      var chapter = cues[index]
      let next = index + 1 < cues.count ? cues[index + 1].frame : nil
      chapter.length = next.map { $0 - chapter.frame }
      chapter.isOpen = next == nil
      return chapter
    }
  }

  /// Ends the open chapters that begin before the announced end.
  ///
  /// Later chapters stay open, because the announced end may be too early.
  mutating func closeOpenChapters(at end: FrameCount) {
    for (index, cue) in cues.enumerated() where cue.isOpen && cue.frame < end {
      cues[index].length = end - cue.frame
      cues[index].isOpen = false
    }
  }

  /// Ends open chapters at `end`, and truncates chapters that end later; nil changes nothing.
  mutating func closeChapters(at end: FrameCount?) {
    guard let end else { return }
    for (index, cue) in cues.enumerated() where cue.isOpen || cue.length != nil {
      let most = max(0, end - cue.frame)
      cues[index].length = min(cue.length ?? most, most)
      cues[index].isOpen = false
    }
  }

  /// Returns the metadata for a part of the audio, with positions at another sample rate.
  ///
  /// Cues outside the part are dropped; a chapter is truncated to the part.
  ///
  /// - Parameters:
  ///   - part: the part; its end is nil for the end of the audio.
  ///   - rate: the rate of the positions.
  ///   - newRate: the rate of the result.
  ///   - includesEnd: whether a cue after the last frame belongs to the part.
  package func moved(
    to part: (start: Duration, end: Duration?), from rate: SampleRate, at newRate: SampleRate,
    includesEnd: Bool = true
  ) -> AudioMetadata {
    guard part.start > .zero || part.end != nil || rate != newRate else { return self }
    let timeline = Timeline(part, rate, newRate, includesEnd: includesEnd)
    var result = self
    result.cues = cues.compactMap(timeline.moved)
    // These are the cues of the whole audio: a region that begins before the part may extend into
    // the part.
    let points = chunks.numberedCues
    result.chunks = chunks.compactMap { $0.moved(timeline, points) }
    return result
  }

  /// Converts positions in the audio to positions in a part of the audio, at another sample rate.
  struct Timeline {
    let start: Int
    let end: Int
    let ratio: Double
    let includesEnd: Bool

    init(
      _ part: (start: Duration, end: Duration?), _ rate: SampleRate, _ newRate: SampleRate,
      includesEnd: Bool
    ) {
      self.includesEnd = includesEnd
      start = FrameCount(part.start, at: rate).rawValue
      end = part.end.map { FrameCount($0, at: rate).rawValue } ?? .max
      ratio = Double(newRate.hertz) / Double(rate.hertz)
    }

    /// Converts a number of frames to the new rate.
    func scaled(_ frames: Int) -> Int {
      ratio == 1 ? frames : Int(exactly: (Double(frames) * ratio).rounded()) ?? frames
    }

    /// Converts a position; nil if it lies outside the part.
    func position(_ frame: Int) -> Int? {
      let isInside = frame >= start && (frame < end || (includesEnd && frame == end))
      return isInside ? scaled(frame - start) : nil
    }

    /// Clips the region from `first` up to `last` to the part, and returns the new first frame and
    /// length; nil if the region lies outside the part.
    ///
    /// The length is nil if the end is unknown.
    func region(from first: Int, to last: Int) -> (first: Int, length: Int?)? {
      let last = min(end, last)
      guard last > start, first < end else { return nil }
      let from = scaled(max(first, start) - start)
      return (from, last == .max ? nil : max(0, scaled(last - start) - from))
    }

    func moved(_ cue: AudioCue) -> AudioCue? {
      var cue = cue
      // This limit keeps sums of a damaged file's positions and lengths from overflowing.
      let longest = 1 << 50
      let first = min(max(0, cue.frame.rawValue), longest)
      guard cue.isOpen || cue.length != nil else {
        guard let place = position(first) else { return nil }
        cue.frame = FrameCount(place)
        return cue
      }
      let last = cue.length.map { first + min(max(0, $0.rawValue), longest) } ?? .max
      guard let region = region(from: first, to: last) else { return nil }
      cue.frame = FrameCount(region.first)
      cue.length = region.length.map { FrameCount($0) }
      cue.isOpen = region.length == nil
      return cue
    }
  }
}
