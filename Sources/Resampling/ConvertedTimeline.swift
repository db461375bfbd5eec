import AudioCore

/// Numbers a converter's frames continuously from the start of the input.
struct ConvertedTimeline {
  /// Whether no more audio is accepted.
  var isFinished = false

  private var next: FrameCount?

  /// Records the position of the first buffer; later calls have no effect.
  mutating func begin(at frame: FrameCount, from: SampleRate, to: SampleRate) {
    if next == nil { next = frame.converted(from: from, to: to) }
  }

  /// Returns the index of the first of these frames.
  mutating func take(_ frames: FrameCount) -> FrameCount {
    let first = next ?? 0
    next = first + frames
    return first
  }
}
