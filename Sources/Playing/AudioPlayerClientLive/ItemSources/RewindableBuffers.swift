import AudioCore

/// Consecutive buffers of any formats; a seek can return to buffers that were not released.
///
/// Frames are counted at the rate of the first buffer; buffers at other rates count by their
/// duration.
struct RewindableBuffers {
  /// The first frame that `seek` can reach.
  private(set) var oldest: FrameCount = 0
  private var pieces: [(start: FrameCount, buffer: AudioBuffer)] = []
  /// How many pieces at the front are forgotten but not removed yet.
  private var forgotten = 0
  /// The index of the next piece; `offset` is the first frame in it that has not been returned.
  private var index = 0
  private var offset: FrameCount = 0
  /// The last consecutive buffers with the same rate: their start, their length, and that rate.
  private var run = (start: FrameCount.zero, length: FrameCount.zero, rate: SampleRate.speech)
  private var rate = SampleRate.speech

  /// The index after the last frame.
  var end: FrameCount { run.start + run.length.converted(from: run.rate, to: rate) }

  /// The index of the next frame.
  var position: FrameCount {
    guard index < pieces.count else { return end }
    return pieces[index].start
      + offset.converted(
        from: pieces[index].buffer.format.sampleRate, to: rate)
  }

  /// Appends a buffer, which must not be empty.
  mutating func append(_ buffer: AudioBuffer) {
    let bufferRate = buffer.format.sampleRate
    if end == 0 { (rate, run.rate) = (bufferRate, bufferRate) }
    if bufferRate != run.rate { run = (end, 0, bufferRate) }
    pieces.append((end, buffer))
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

  /// Moves to a frame from `oldest` on, or to the end if there are fewer frames.
  mutating func seek(to frame: FrameCount) {
    (index, offset) = (pieces.count, 0)
    guard frame < end, let found = pieces.lastIndex(where: { $0.start <= frame }) else { return }
    let piece = pieces[found]
    let distance = (frame - piece.start).converted(
      from: rate, to: piece.buffer.format.sampleRate)
    (index, offset) = distance < piece.buffer.frameCount ? (found, distance) : (found + 1, 0)
  }

  /// Releases the returned buffers before a frame, which `seek` can then no longer reach.
  mutating func forget(before frame: FrameCount) {
    oldest = max(oldest, frame)
    while forgotten < index, end(of: forgotten) <= oldest { forgotten += 1 }
    // Pieces are removed in batches, because each removal moves all later pieces in memory.
    guard forgotten * 2 > pieces.count else { return }
    pieces.removeFirst(forgotten)
    (index, forgotten) = (index - forgotten, 0)
  }

  private func end(of piece: Int) -> FrameCount {
    piece + 1 < pieces.count ? pieces[piece + 1].start : end
  }
}
