/// Lets audio pass up to a length.
public struct TimeLimiter: AudioProcessor, Sendable {
  private enum Limit {
    case frames(FrameCount)
    case duration(Duration)
  }

  private let limit: Limit
  private var continuity = Continuity()
  private var passed: FrameCount = 0

  /// Whether the length is reached.
  public private(set) var isOver: Bool

  /// A machine for so many frames.
  public init(_ limit: FrameCount) {
    self.limit = .frames(limit)
    isOver = limit <= 0
  }

  /// A machine for as many frames as `limit` has at the rate of the audio.
  public init(_ limit: Duration) {
    self.limit = .duration(limit)
    isOver = limit <= .zero
  }

  /// Gives what of the buffer lies within the length.
  public mutating func take(_ buffer: AudioBuffer) -> [AudioBuffer] {
    guard !isOver else { return [] }
    if case .gap(let missing) = continuity.note(buffer) { passed += missing }
    let left = frames(at: buffer.format.sampleRate) - passed
    passed += buffer.frameCount
    isOver = buffer.frameCount >= left
    guard left > 0 else { return [] }
    return [isOver ? buffer.frames(0..<left) : buffer]
  }

  private func frames(at rate: SampleRate) -> FrameCount {
    switch limit {
    case .frames(let count): count
    case .duration(let duration): FrameCount(duration, at: rate)
    }
  }
}

extension AsyncSequence where Element == AudioBuffer {
  /// The first `limit` of the audio; the sequence below is released with its last frame.
  ///
  /// The length is that of the time-line: frames which a gap in the indices lacks count as well,
  /// while frames with earlier indices, as of a sound that starts again, add up.
  public func limited(to limit: Duration) -> ProcessedAudio<Self, TimeLimiter> {
    processed(by: TimeLimiter(limit))
  }

  /// The first `limit` frames of the audio; otherwise the same.
  public func limited(to limit: FrameCount) -> ProcessedAudio<Self, TimeLimiter> {
    processed(by: TimeLimiter(limit))
  }
}
