import AudioCore

/// Says when a disk is about to be full, by how fast a file grows.
struct DiskSpace {
  /// Less than that is told.
  static let warning = Duration.seconds(60)
  /// It is told again after there was as much as that.
  private static let relief = Duration.seconds(120)

  private let rate: SampleRate
  private var next: FrameCount
  private var hasWarned = false
  private var seen: (frames: FrameCount, bytes: Int) = (0, 0)
  private var bytesPerSecond: Double?

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
    measure(frames, bytes)
    guard let bytesPerSecond, bytesPerSecond > 0 else { return nil }
    let left = Duration.seconds(Double(free) / bytesPerSecond)
    if left > Self.relief { hasWarned = false }
    guard left < Self.warning, !hasWarned else { return nil }
    hasWarned = true
    return left
  }

  /// Keeps to the last seconds: what has become loud takes more bytes than what was
  /// quiet for hours.
  ///
  /// Encoders write in bursts, so a second counts for an eighth.
  private mutating func measure(_ frames: FrameCount, _ bytes: Int) {
    // Less than there was is the next file.
    if frames < seen.frames || bytes < seen.bytes { seen = (0, 0) }
    defer { seen = (frames, bytes) }
    guard frames > seen.frames else { return }
    let latest = Double(bytes - seen.bytes) / (frames - seen.frames).duration(at: rate).inSeconds
    bytesPerSecond = bytesPerSecond.map { $0 + (latest - $0) / 8 } ?? latest
  }
}
