import AudioCore
import AudioPlayerClient
import FoundationEssentials

/// One item of a queue: its source, within its range, as often as it is to be played.
final class ItemReader {
  enum Step {
    case audio(AudioBuffer)
    /// Another repetition begins, the so-many-th after the first.
    case looped(count: Int)
    case end
  }

  let index: Int
  let description: SourceDescription
  /// The frame of the source that comes next.
  private(set) var position: FrameCount
  /// Whether something of it has been heard.
  private(set) var isHeard = false
  private let source: any FeederSource
  private let range: Range<FrameCount>
  private var rounds: Rounds
  private var hasGiven = false

  /// Opens an item's source and goes to its start.
  nonisolated(nonsending) static func open(
    _ item: PlaybackItem, index: Int, _ source: any FeederSource
  ) async throws -> ItemReader {
    let description = try await source.open()
    let rate = description.format.sampleRate
    let start = item.range.start.frame(at: rate)
    let end = item.range.end?.frame(at: rate) ?? FrameCount(.max)
    let reader = ItemReader(
      index, source, description, start..<max(start, end), Rounds(item.repetition))
    try await source.begin(at: start)
    reader.position = source.position
    return reader
  }

  private init(
    _ index: Int, _ source: any FeederSource, _ description: SourceDescription,
    _ range: Range<FrameCount>, _ rounds: Rounds
  ) {
    self.index = index
    self.source = source
    self.description = description
    self.range = range
    self.rounds = rounds
    position = range.lowerBound
  }

  /// Where it is.
  var place: ItemPlace {
    ItemPlace(
      item: index, frame: position, rate: description.format.sampleRate,
      length: description.announcedDuration)
  }

  /// The file, where it is one.
  var url: URL? { source.url }

  /// What the source announced and did not hold; nil where it was not read to its end.
  var shortfall: (announced: Duration?, decoded: Duration)? { source.shortfall }

  /// Its source, where that is in memory and can be opened again.
  var keptSource: (any FeederSource)? { source.isKept ? source : nil }

  /// Whether it has given nothing at all.
  var isEmpty: Bool { !hasGiven }

  /// What is wrong with an item that gives nothing.
  var emptiness: AudioPlayerError {
    guard range.lowerBound > 0, !range.isEmpty else { return .emptySource(url) }
    let rate = description.format.sampleRate
    let start = range.lowerBound.duration(at: rate)
    // Seeking has come as far as there is something.
    let end = position < range.lowerBound ? position.duration(at: rate) : nil
    let length = end ?? description.announcedDuration.flatMap { $0 <= start ? $0 : nil }
    return .startBehindEnd(url, start: start, length: length)
  }

  nonisolated(nonsending) func next() async throws -> Step {
    if position < range.upperBound, let buffer = try await source.next() {
      let count = min(buffer.frameCount, framesLeft(at: buffer.format.sampleRate))
      position = min(range.upperBound, source.position)
      rounds.gives()
      hasGiven = true
      return .audio(count < buffer.frameCount ? buffer.frames(0..<count) : buffer)
    }
    guard rounds.begin() else { return .end }
    try await go(to: range.lowerBound)
    return .looped(count: rounds.current)
  }

  /// Goes to its first frame, or to the first that was not heard where it comes only once.
  nonisolated(nonsending) func rewind() async throws {
    try await go(to: max(range.lowerBound, source.oldestFrame))
  }

  /// What lies before a frame has been heard.
  func forget(before frame: FrameCount) {
    isHeard = true
    source.forget(before: frame)
  }

  /// Goes to a time of the source, within the range.
  nonisolated(nonsending) func seek(to time: PlaybackTime) async throws {
    let frame = time.frame(at: description.format.sampleRate)
    let target = min(max(frame, range.lowerBound), range.upperBound)
    try await go(to: target)
    // Whoever seeks to the very end does not want to hear that it is empty.
    rounds.gives()
    hasGiven = true
  }

  nonisolated(nonsending) private func go(to frame: FrameCount) async throws {
    try await source.seek(to: frame)
    position = source.position
  }

  /// How many frames of a buffer of this rate lie within the range.
  private func framesLeft(at rate: SampleRate) -> FrameCount {
    (range.upperBound - position).converted(from: description.format.sampleRate, to: rate)
  }
}
