import AudioCore

/// Numbers the frames that come out of a converter: without a gap, from where the input began.
struct ConvertedTimeLine {
  /// Whether no more audio may come in.
  var isFinished = false

  private var next: FrameCount?

  /// Takes the place of the first buffer as the beginning; later ones change nothing.
  mutating func begin(at frame: FrameCount, from: SampleRate, to: SampleRate) {
    if next == nil { next = frame.converted(from: from, to: to) }
  }

  /// The number of the first of these frames.
  mutating func take(_ frames: FrameCount) -> FrameCount {
    let first = next ?? 0
    next = first + frames
    return first
  }
}
