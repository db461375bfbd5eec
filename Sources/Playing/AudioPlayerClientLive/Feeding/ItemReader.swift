import AudioCore
import AudioPlayerClient
import FoundationEssentials

/// Reads one item of a queue: its source, within its range, with its repetitions.
final class ItemReader {
  let index: Int
  let description: SourceDescription
  /// The source's next frame.
  private(set) var position: FrameCount
  /// Whether any audio of the item has been played.
  private(set) var hasBeenPlayed = false
  private let source: any FeederSource
  private let range: Range<FrameCount>
  private let gain: Float
  /// The number of the current repetition, from 0.
  private(set) var repetition = 0
  private let repetitions: PlaybackRepetition
  /// Whether the current repetition has returned audio; `hasReturnedAudio` is true if any
  /// repetition has.
  private var repetitionHasAudio = false
  private var hasReturnedAudio = false
  private var title: String?

  /// Opens an item's source and moves to its first frame.
  nonisolated(nonsending) static func open(
    _ item: PlaybackItem, index: Int, _ source: any FeederSource
  ) async throws -> ItemReader {
    let description = try await source.open()
    let rate = description.format.sampleRate
    let start = item.range.start.frame(at: rate)
    let end = item.range.end?.frame(at: rate) ?? FrameCount(.max)
    let reader = ItemReader(
      index, source, description, start..<max(start, end), gain: item.gain, item.repetition)
    try await source.begin(at: start)
    reader.position = source.position
    return reader
  }

  private init(
    _ index: Int, _ source: any FeederSource, _ description: SourceDescription,
    _ range: Range<FrameCount>, gain: Decibels, _ repetitions: PlaybackRepetition
  ) {
    self.index = index
    self.source = source
    self.description = description
    self.range = range
    self.gain = clampedGain(Float(gain.amplitude), atMost: PlaybackRequest.loudest)
    self.repetitions = repetitions
    position = range.lowerBound
  }

  /// The position of the next frame.
  var itemPosition: ItemPosition {
    ItemPosition(
      item: index, frame: position, rate: description.format.sampleRate,
      length: description.announcedDuration, repetition: repetition)
  }

  /// The source's shortfall; nil if the source was not read to its end.
  var shortfall: (announced: Duration?, decoded: Duration)? { source.shortfall }

  /// Returns the source's title if the title has changed; otherwise nil.
  func newTitle() -> String? {
    guard let new = source.title, new != title else { return nil }
    title = new
    return new
  }

  /// Whether the item has returned no audio.
  var isEmpty: Bool { !hasReturnedAudio }

  /// The error to report for an item that returned no audio.
  var emptyError: AudioPlayerError {
    guard range.lowerBound > 0, !range.isEmpty else { return .emptySource(source.url) }
    let rate = description.format.sampleRate
    let start = range.lowerBound.duration(at: rate)
    // If a seek to the start of the range stops at an earlier frame, the source ends at that frame.
    let end = position < range.lowerBound ? position.duration(at: rate) : nil
    let length = end ?? description.announcedDuration.flatMap { $0 <= start ? $0 : nil }
    return .startAfterEnd(source.url, start: start, length: length)
  }

  /// Returns the next buffer, or nil at the end of a repetition.
  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    guard position < range.upperBound, let buffer = try await source.next() else { return nil }
    let count = min(buffer.frameCount, framesLeft(at: buffer.format.sampleRate))
    position = min(range.upperBound, source.position)
    (repetitionHasAudio, hasReturnedAudio) = (true, true)
    let part = count < buffer.frameCount ? buffer.frames(0..<count) : buffer
    return part.scaled(by: gain)
  }

  /// Begins the next repetition; false if there is none.
  ///
  /// A repetition without audio is the last; otherwise, an empty source would repeat forever.
  nonisolated(nonsending) func beginRepetition() async throws -> Bool {
    guard repetitionHasAudio, repetitions.continues(after: repetition) else { return false }
    (repetition, repetitionHasAudio) = (repetition + 1, false)
    try await move(to: range.lowerBound)
    return true
  }

  /// Moves to the item's first frame, or to the first unplayed frame of a stream.
  nonisolated(nonsending) func rewind() async throws {
    try await move(to: max(range.lowerBound, source.oldestFrame))
  }

  /// Records that the frames before this frame have been played.
  func forget(before frame: FrameCount) {
    hasBeenPlayed = true
    source.forget(before: frame)
  }

  /// Seeks to a time of the source, clamped to the range, in the given repetition.
  nonisolated(nonsending) func seek(
    to time: PlaybackTime, in repetition: Int = 0
  ) async throws {
    let frame = time.frame(at: description.format.sampleRate)
    try await move(to: min(max(frame, range.lowerBound), range.upperBound))
    // A seek to the item's very end returns no audio, but the item does not count as empty.
    self.repetition = repetition
    (repetitionHasAudio, hasReturnedAudio) = (true, true)
  }

  nonisolated(nonsending) private func move(to frame: FrameCount) async throws {
    try await source.seek(to: frame)
    position = source.position
  }

  /// The number of frames left in the range, counted at `rate`.
  private func framesLeft(at rate: SampleRate) -> FrameCount {
    (range.upperBound - position).converted(from: description.format.sampleRate, to: rate)
  }
}
