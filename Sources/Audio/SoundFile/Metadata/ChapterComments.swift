import AudioCore

extension AudioMetadata {
  /// The maximum number of chapters in comments with three-digit numbers.
  static let mostChapters = 999

  /// Returns the cues as Vorbis comments: `CHAPTER001=00:01:02.500` and `CHAPTER001NAME=One`.
  func chapterComments(at rate: SampleRate) -> [AudioTag: [String]] {
    var comments: [AudioTag: [String]] = [:]
    for (index, cue) in cues.prefix(Self.mostChapters).enumerated() {
      let digits = "\(index + 1)"
      let key = "CHAPTER" + String(repeating: "0", count: 3 - digits.count) + digits
      comments.add(key, Self.clockTime(cue.frame.duration(at: rate)))
      comments.add(key + "NAME", cue.name)
    }
    return comments
  }

  /// Moves the chapters from the comments to `cues`.
  mutating func readChapterComments(at rate: SampleRate) {
    var found: [AudioCue] = []
    for tag in tags.keys.filter(\.isChapter).sorted(by: { $0.name < $1.name }) {
      guard let text = tags[tag]?.first, let time = Self.duration(text) else { continue }
      let name = AudioTag(tag.name + "NAME")
      found.append(AudioCue(frame: FrameCount(time, at: rate), name: tags[name]?.first ?? ""))
      tags[tag] = nil
      tags[name] = nil
    }
    if cues.isEmpty { cues = Self.chapters(found) }
  }

  /// Combines the chapters in the comments with the cue sheet's tracks in `cues`: the chapters have
  /// names, and the tracks have exact frames.
  ///
  /// Tracks without a chapter are kept only if there are no chapters.
  mutating func readChapters(at rate: SampleRate) {
    let tracks = cues
    cues = []
    readChapterComments(at: rate)
    guard !tracks.isEmpty else { return }
    guard !cues.isEmpty else {
      cues = Self.chapters(tracks)
      return
    }
    // The time in a comment is rounded to a millisecond, so it may differ slightly from a track's
    // frame.
    let tolerance = rate.hertz / 1_000 + 1
    let distance = { (one: AudioCue, other: AudioCue) in
      abs(one.frame.rawValue - other.frame.rawValue)
    }
    var unnamed = Set(tracks.map(\.frame))
    let chapters = cues.map { chapter in
      var chapter = chapter
      let nearest = tracks.min { distance($0, chapter) < distance($1, chapter) }
      if let nearest, distance(nearest, chapter) <= tolerance {
        chapter.frame = nearest.frame
        unnamed.remove(nearest.frame)
      }
      return chapter
    }
    cues = Self.chapters(chapters)
    guard let lost = unnamed.count.of("a track of the cue sheet", "tracks of the cue sheet") else {
      return
    }
    notices.append(.omitted(lost, reason: "the chapters in the comments have other times"))
  }

  /// Formats a time, rounded to a millisecond, like `01:02:03.500`.
  private static func clockTime(_ time: Duration) -> String {
    let milliseconds = time.wholeMilliseconds
    let digits = { (value: Int, width: Int) in
      let text = "\(value)"
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    let (seconds, fraction) = milliseconds.quotientAndRemainder(dividingBy: 1_000)
    return digits(seconds / 3_600, 2) + ":" + digits(seconds / 60 % 60, 2) + ":"
      + digits(seconds % 60, 2) + "." + digits(fraction, 3)
  }

  private static func duration(_ text: String) -> Duration? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    guard numbers.count == parts.count, (2...3).contains(parts.count),
      numbers.allSatisfy({ (0...1_000_000).contains($0) })
    else { return nil }
    return .seconds(clamping: numbers.reduce(0) { $0 * 60 + $1 })
  }
}

extension AudioTag {
  /// Whether the tag is a comment of a chapter: `CHAPTER001`, or `CHAPTER001NAME`.
  var isWrittenForChapters: Bool {
    let number = name.dropFirst(7).prefix(3)
    return name.hasPrefix("CHAPTER") && number.count == 3
      && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether the tag is the time of a chapter: `CHAPTER001`.
  fileprivate var isChapter: Bool {
    let number = name.dropFirst(7)
    return name.hasPrefix("CHAPTER") && (1...4).contains(number.count)
      && number.utf8.allSatisfy { (0x30...0x39).contains($0) }
  }
}
