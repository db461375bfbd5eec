import AudioCore

/// Says when a growing file is to be looked after: after every second of audio.
struct SecondClock {
  private let interval: FrameCount
  private var next: FrameCount

  init(rate: SampleRate) {
    interval = FrameCount(rate.hertz)
    next = interval
  }

  /// True once for every second that has been completed.
  mutating func isDue(at frame: FrameCount) -> Bool {
    guard frame >= next else { return false }
    while next <= frame { next = next + interval }
    return true
  }
}
