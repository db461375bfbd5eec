import AudioCore

/// Buffers of any formats, one after the other; those that were given can be given again until they
/// are forgotten.
///
/// Frames are counted in the rate of the first buffer: at other rates it is the time that counts.
struct BufferTape {
  private struct Piece {
    let start: FrameCount
    let buffer: AudioBuffer
    var rate: SampleRate { buffer.format.sampleRate }
  }

  /// The first frame that can be gone to.
  private(set) var oldest: FrameCount = 0
  private var pieces: [Piece] = []
  /// The first pieces, which nobody can go to any more.
  private var forgotten = 0
  /// The piece that is given next, and from which of its frames on.
  private var index = 0
  private var offset: FrameCount = 0
  /// The buffers at the end that have the same rate: where they begin, and how long they are.
  private var run = (start: FrameCount.zero, length: FrameCount.zero, rate: SampleRate.speech)
  private var rate = SampleRate.speech

  /// The frame after the last one.
  var end: FrameCount { run.start + run.length.converted(from: run.rate, to: rate) }

  /// The frame that is given next.
  var position: FrameCount {
    guard index < pieces.count else { return end }
    return pieces[index].start + offset.converted(from: pieces[index].rate, to: rate)
  }

  /// Adds a buffer that holds something at the end.
  mutating func append(_ buffer: AudioBuffer) {
    let bufferRate = buffer.format.sampleRate
    if end == 0 { (rate, run.rate) = (bufferRate, bufferRate) }
    if bufferRate != run.rate { run = (end, 0, bufferRate) }
    pieces.append(Piece(start: end, buffer: buffer))
    run.length += buffer.frameCount
  }

  /// The next frames of one buffer, nil at the end.
  mutating func next(atMost limit: FrameCount) -> AudioBuffer? {
    guard index < pieces.count else { return nil }
    let buffer = pieces[index].buffer
    let start = offset
    offset += min(limit, buffer.frameCount - offset)
    let isWhole = start == 0 && offset == buffer.frameCount
    let given = isWhole ? buffer : buffer.frames(start..<offset)
    if offset == buffer.frameCount { (index, offset) = (index + 1, 0) }
    return given
  }

  /// Goes to a frame, or to the end where there are fewer; what is forgotten cannot be gone to.
  mutating func seek(to frame: FrameCount) {
    (index, offset) = (pieces.count, 0)
    guard frame < end, let found = pieces.lastIndex(where: { $0.start <= frame }) else { return }
    let piece = pieces[found]
    let distance = (frame - piece.start).converted(from: rate, to: piece.rate)
    (index, offset) = distance < piece.buffer.frameCount ? (found, distance) : (found + 1, 0)
  }

  /// What was given and lies before a frame is not gone to again.
  mutating func forget(before frame: FrameCount) {
    oldest = max(oldest, frame)
    while forgotten < index, end(of: forgotten) <= oldest { forgotten += 1 }
    // Not for each of them, so that many small ones are not moved up again and again.
    guard forgotten * 2 > pieces.count else { return }
    pieces.removeFirst(forgotten)
    (index, forgotten) = (index - forgotten, 0)
  }

  private func end(of piece: Int) -> FrameCount {
    piece + 1 < pieces.count ? pieces[piece + 1].start : end
  }
}
