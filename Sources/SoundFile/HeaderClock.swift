import AudioCore

/// Says when the header of a growing file is to be written anew: after every second of audio.
struct HeaderClock {
  private let interval: FrameCount
  private let isUsed: Bool
  private var next: FrameCount

  init(rate: SampleRate, isUsed: Bool) {
    interval = FrameCount(rate.hertz)
    next = interval
    self.isUsed = isUsed
  }

  /// True once for every second that has been completed.
  mutating func isDue(at frame: FrameCount) -> Bool {
    guard isUsed, frame >= next else { return false }
    while next <= frame { next = next + interval }
    return true
  }
}
