import AudioCore

/// Reduces wake-ups from devices that wake their thread before a period is available.
///
/// Plug-ins and dmix wake the thread several times per period. If the device has moved frames at
/// its nominal rate, the thread instead sleeps until a whole period should be available. If
/// wake-ups follow each other too closely, it sleeps for a quarter of a period.
struct WakeUpThrottle {
  private typealias Observation = (frames: Int, time: SuspendingClock.Instant)

  private static let limit = 4
  /// One of this many sleeps is replaced by a wait for the device, so that a lost device is
  /// detected.
  private static let maximumRests = 8
  private let period: Int
  private let rate: SampleRate
  private let shortest: Duration
  /// The first observation of this wait; `last` is the latest.
  private var first: Observation?
  private var last: Observation?
  /// The frames available at the end of the last wait, minus the frames transferred since.
  private var known: Observation?
  private var wokenAt: SuspendingClock.Instant?
  private var spins = 0
  /// The number of consecutive waits with early wake-ups in which the device moved frames at its
  /// nominal rate.
  private var punctual = 0
  private var hasRested = false
  private var rests = 0

  init(period: FrameCount, rate: SampleRate) {
    self.period = period.rawValue
    self.rate = rate
    shortest = period.duration(at: rate) / 16
  }

  /// Records that the device woke its thread.
  mutating func woke(at time: SuspendingClock.Instant) {
    if let wokenAt, time - wokenAt < shortest {
      spins += 1
    } else {
      spins = 0
    }
    wokenAt = time
  }

  /// Records that the device had fewer frames than a period.
  mutating func observe(_ frames: Int, at time: SuspendingClock.Instant) {
    last = (frames, time)
    if first == nil { first = last }
  }

  /// Records that a wait ended with at least one period of frames available.
  mutating func ready(_ frames: Int, at time: SuspendingClock.Instant) {
    known = (frames, time)
    if !hasRested {
      judge()
    } else if frames > 2 * period {
      // The device runs faster than the clock, so the next waits do not sleep.
      punctual = 0
    }
    (first, last, wokenAt, spins, hasRested) = (nil, nil, nil, 0, false)
  }

  /// Records that frames were written or read.
  mutating func transferred(_ frames: Int) {
    known?.frames -= frames
  }

  /// Forgets the number of available frames.
  mutating func forget() {
    known = nil
  }

  /// Returns how long to sleep before this wait checks the device for the first time; nil to check
  /// it now.
  mutating func consumeRestUnseen(at time: SuspendingClock.Instant) -> Duration? {
    guard punctual >= Self.limit, !hasRested, let known, rests + 1 < Self.maximumRests else {
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

  /// Returns how long to sleep instead of waiting for the device; nil to wait for the device.
  mutating func consumeRest() -> Duration? {
    if spins >= Self.limit {
      spins = 0
      return shortest * 4
    }
    guard punctual >= Self.limit, !hasRested, let last, last.frames < period else { return nil }
    rests = (rests + 1) % Self.maximumRests
    guard rests > 0 else { return nil }
    hasRested = true
    return FrameCount(period - last.frames).duration(at: rate)
  }

  /// Checks whether the device moved frames at its nominal rate during this wait.
  private mutating func judge() {
    guard let first, let last, last.time > first.time else { return }
    let time = last.time - first.time
    let early = FrameCount(last.frames - first.frames).duration(at: rate) - time
    let deviation = max(early, .zero - early)
    punctual = deviation <= time / 8 ? min(punctual + 1, Self.limit) : 0
  }
}
