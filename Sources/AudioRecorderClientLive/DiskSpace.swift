import AudioCore

/// Says when a disk is about to be full, by how fast a file grows.
struct DiskSpace {
  /// Less than that is told.
  static let warning = Duration.seconds(60)
  /// It is told again after there was as much as that.
  static let relief = Duration.seconds(120)

  private let rate: SampleRate
  private var next: FrameCount
  private var hasWarned = false

  init(rate: SampleRate) {
    self.rate = rate
    next = FrameCount(rate.hertz)
  }

  /// Whether it wants to know: after every second of audio.
  mutating func isDue(at recorded: FrameCount) -> Bool {
    guard recorded >= next else { return false }
    next = recorded + FrameCount(rate.hertz)
    return true
  }

  /// How long the disk lasts where that is little, once.
  ///
  /// - Parameters:
  ///   - frames: those in the file.
  ///   - bytes: its size.
  ///   - free: the bytes that are left.
  mutating func left(frames: FrameCount, bytes: Int, free: Int) -> Duration? {
    guard bytes > 0, frames > 0 else { return nil }
    let left = frames.duration(at: rate) * (Double(free) / Double(bytes))
    if left > Self.relief { hasWarned = false }
    guard left < Self.warning, !hasWarned else { return nil }
    hasWarned = true
    return left
  }
}
