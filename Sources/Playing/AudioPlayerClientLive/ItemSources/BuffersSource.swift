import AudioCore
import AudioPlayerClient
import FoundationEssentials

/// Buffers in memory.
final class BuffersSource: FeederSource {
  let url: URL? = nil
  private let format: AudioFormat?
  private let announcedShortfall: (announced: Duration?, decoded: Duration)?
  private var buffers = RewindableBuffers()

  /// - Parameter shortfall: the shortfall of the file that the buffers were decoded from.
  init(_ buffers: [AudioBuffer], shortfall: (announced: Duration?, decoded: Duration)? = nil) {
    announcedShortfall = shortfall
    let nonEmpty = buffers.filter { !$0.isEmpty }
    format = nonEmpty.first?.format
    for buffer in nonEmpty { self.buffers.append(buffer) }
  }

  var shortfall: (announced: Duration?, decoded: Duration)? {
    buffers.position < buffers.end ? nil : announcedShortfall
  }

  var position: FrameCount { buffers.position }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    guard let format else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(
      format: format, announcedDuration: buffers.end.duration(at: format.sampleRate))
  }

  /// Long buffers are returned in pieces so that no request waits for one.
  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    buffers.next(atMost: 4_096)
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    buffers.seek(to: frame)
  }
}

/// Buffers of any formats in a row; those that were returned can be returned again until they are
/// forgotten.
///
/// Frames are counted at the rate of the first buffer; buffers at other rates count by their
/// duration.
struct RewindableBuffers {
  private struct Piece {
    let start: FrameCount
    let buffer: AudioBuffer
    var rate: SampleRate { buffer.format.sampleRate }
  }

  /// The first frame that `seek` can reach.
  private(set) var oldest: FrameCount = 0
  private var pieces: [Piece] = []
  /// The number of pieces at the front that are forgotten but not removed yet.
  private var forgotten = 0
  /// The index of the next piece, and its first frame that was not returned.
  private var index = 0
  private var offset: FrameCount = 0
  /// The start, length, and rate of the trailing buffers that share a rate.
  private var run = (start: FrameCount.zero, length: FrameCount.zero, rate: SampleRate.speech)
  private var rate = SampleRate.speech

  /// The index after the last frame.
  var end: FrameCount { run.start + run.length.converted(from: run.rate, to: rate) }

  /// The index of the next frame.
  var position: FrameCount {
    guard index < pieces.count else { return end }
    return pieces[index].start + offset.converted(from: pieces[index].rate, to: rate)
  }

  /// Appends a buffer, which must not be empty.
  mutating func append(_ buffer: AudioBuffer) {
    let bufferRate = buffer.format.sampleRate
    if end == 0 { (rate, run.rate) = (bufferRate, bufferRate) }
    if bufferRate != run.rate { run = (end, 0, bufferRate) }
    pieces.append(Piece(start: end, buffer: buffer))
    run.length += buffer.frameCount
  }

  /// Returns the next frames of one buffer, or nil at the end.
  mutating func next(atMost limit: FrameCount) -> AudioBuffer? {
    guard index < pieces.count else { return nil }
    let buffer = pieces[index].buffer
    let start = offset
    offset += min(limit, buffer.frameCount - offset)
    let isWhole = start == 0 && offset == buffer.frameCount
    let part = isWhole ? buffer : buffer.frames(start..<offset)
    if offset == buffer.frameCount { (index, offset) = (index + 1, 0) }
    return part
  }

  /// Moves to a frame that is not forgotten, or to the end if there are fewer.
  mutating func seek(to frame: FrameCount) {
    (index, offset) = (pieces.count, 0)
    guard frame < end, let found = pieces.lastIndex(where: { $0.start <= frame }) else { return }
    let piece = pieces[found]
    let distance = (frame - piece.start).converted(from: rate, to: piece.rate)
    (index, offset) = distance < piece.buffer.frameCount ? (found, distance) : (found + 1, 0)
  }

  /// Forgets the returned buffers before a frame.
  mutating func forget(before frame: FrameCount) {
    oldest = max(oldest, frame)
    while forgotten < index, end(of: forgotten) <= oldest { forgotten += 1 }
    // Removing them in batches keeps many small buffers from being moved for each one.
    guard forgotten * 2 > pieces.count else { return }
    pieces.removeFirst(forgotten)
    (index, forgotten) = (index - forgotten, 0)
  }

  private func end(of piece: Int) -> FrameCount {
    piece + 1 < pieces.count ? pieces[piece + 1].start : end
  }
}
