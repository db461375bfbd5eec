import AudioCore

/// Says when a growing file is to be looked after: its header after every half second of audio, the
/// rest after every second.
struct SecondClock {
  /// What is due.
  enum Care: Equatable {
    case nothing
    case header
    case everything
  }

  private let half: FrameCount
  private var halves = 0
  private var next: FrameCount

  init(rate: SampleRate) {
    half = FrameCount((rate.hertz + 1) / 2)
    next = half
  }

  /// What is due now that there are so many frames, once for every half second and second that have
  /// been completed.
  mutating func care(at frame: FrameCount) -> Care {
    guard frame >= next else { return .nothing }
    let before = halves / 2
    while next <= frame {
      next = next + half
      halves += 1
    }
    return halves / 2 > before ? .everything : .header
  }
}
