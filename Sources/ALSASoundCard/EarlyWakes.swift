import AudioCore

/// Knows a device that wakes its thread before a period is there, and lets the thread rest until it
/// is.
///
/// Plug-ins and dmix tick faster than the period. Where the device has been seen to keep the
/// clock's time, the rest is as long as the missing frames take; where it only says "ready" again
/// and again, the rest is short.
struct EarlyWakes {
  private struct Sight {
    var frames: Int
    var time: MonotonicTime
  }

  private static let limit = 4
  /// After so many waits by the clock the device itself is waited for: only then can it say that it
  /// hangs up.
  private static let mostRests = 8
  private let period: Int
  private let rate: SampleRate
  private let shortest: Duration
  /// What was there at the first look of this wait, and at the last one.
  private var first: Sight?
  private var last: Sight?
  /// What is there since the last wait ended, by what was moved meanwhile.
  private var known: Sight?
  private var wokenAt: MonotonicTime?
  private var spins = 0
  /// Waits in a row with early wakes in which the device kept the clock's time.
  private var punctual = 0
  private var hasRested = false
  private var rests = 0

  init(period: FrameCount, rate: SampleRate) {
    self.period = period.rawValue
    self.rate = rate
    shortest = period.duration(at: rate) / 16
  }

  /// The device woke its thread.
  mutating func woke(at time: MonotonicTime) {
    if let wokenAt, time - wokenAt < shortest {
      spins += 1
    } else {
      spins = 0
    }
    wokenAt = time
  }

  /// So many frames were there when the device was looked at, and they are not enough.
  mutating func saw(_ frames: Int, at time: MonotonicTime) {
    last = Sight(frames: frames, time: time)
    if first == nil { first = last }
  }

  /// There is a period, or more of it: the wait is over.
  mutating func ready(_ frames: Int, at time: MonotonicTime) {
    known = Sight(frames: frames, time: time)
    if !hasRested {
      judge()
    } else if frames > 2 * period {
      // The device runs faster than the clock.
      punctual = 0
    }
    (first, last, wokenAt, spins, hasRested) = (nil, nil, nil, 0, false)
  }

  /// So many frames were written or read.
  mutating func transferred(_ frames: Int) {
    known?.frames -= frames
  }

  /// Nothing is known of what is there any more.
  mutating func forget() {
    known = nil
  }

  /// How long to rest before the device is looked at for the first time in this wait; nil where it
  /// may be ready, and where it has to be looked at.
  mutating func takeRestUnseen(at time: MonotonicTime) -> Duration? {
    guard punctual >= Self.limit, !hasRested, let known, rests + 1 < Self.mostRests else {
      return nil
    }
    self.known = nil
    let passed = FrameCount(time - known.time, at: rate)
    let missing = FrameCount(period - known.frames) - passed
    guard missing > 0 else { return nil }
    rests += 1
    hasRested = true
    return missing.duration(at: rate)
  }

  /// How long to rest now instead of asking the device; asking begins anew.
  mutating func takeRest() -> Duration? {
    if spins >= Self.limit {
      spins = 0
      return shortest * 4
    }
    guard punctual >= Self.limit, !hasRested, let last, last.frames < period else { return nil }
    rests = (rests + 1) % Self.mostRests
    guard rests > 0 else { return nil }
    hasRested = true
    return FrameCount(period - last.frames).duration(at: rate)
  }

  /// Whether the frames between the first look and the last one came as the clock has it.
  private mutating func judge() {
    guard let first, let last, last.time > first.time else { return }
    let time = last.time - first.time
    let early = FrameCount(last.frames - first.frames).duration(at: rate) - time
    let deviation = max(early, .zero - early)
    punctual = deviation <= time / 8 ? min(punctual + 1, Self.limit) : 0
  }
}
