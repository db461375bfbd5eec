/// Limits audio to a duration.
public struct TimeLimiter: AudioProcessor, Sendable {
  /// Returns the limit in frames at the sample rate of the audio.
  private let limit: @Sendable (SampleRate) -> FrameCount
  private var continuity = ContinuityChecker()
  private var passed: FrameCount = 0

  /// Whether the limit is reached.
  public private(set) var isOver: Bool

  /// Creates a limiter for a number of frames.
  public init(_ limit: FrameCount) {
    self.limit = { _ in limit }
    isOver = limit <= 0
  }

  /// Creates a limiter for a duration at the rate of the audio.
  public init(_ limit: Duration) {
    self.limit = { FrameCount(limit, at: $0) }
    isOver = limit <= .zero
  }

  /// Returns the part of the buffer within the limit.
  public mutating func process(_ buffer: AudioBuffer) -> [AudioBuffer] {
    guard !isOver else { return [] }
    if case .gap(let missing) = continuity.check(buffer) { passed += missing }
    let left = limit(buffer.format.sampleRate) - passed
    passed += buffer.frameCount
    isOver = buffer.frameCount >= left
    guard left > 0 else { return [] }
    return [isOver ? buffer.frames(0..<left) : buffer]
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Limits the audio to its first `duration`; the base sequence is released after the last frame.
  ///
  /// The missing frames of a gap count toward the limit. If the frame indices jump back, the frames
  /// from there on count, too.
  public func prefix(_ duration: Duration) -> ProcessedAudio<Self, TimeLimiter, Failure> {
    processed(by: TimeLimiter(duration))
  }

  /// Limits the audio to its first `count` frames.
  ///
  /// Gaps and the base sequence are handled as in `prefix(_:)`.
  public func prefix(frames count: FrameCount) -> ProcessedAudio<Self, TimeLimiter, Failure> {
    processed(by: TimeLimiter(count))
  }

  /// Limits the audio to the duration `limit`.
  @available(*, deprecated, renamed: "prefix(_:)")
  public func limited(to limit: Duration) -> ProcessedAudio<Self, TimeLimiter, Failure> {
    prefix(limit)
  }

  /// Limits the audio to its first `limit` frames.
  @available(*, deprecated, renamed: "prefix(frames:)")
  public func limited(to limit: FrameCount) -> ProcessedAudio<Self, TimeLimiter, Failure> {
    prefix(frames: limit)
  }
}
