/// Notices a device that says "ready" again and again before a period is there, so that its thread
/// rests instead of spinning.
///
/// dmix and timers wake early now and then; only wakes that follow each other at once count.
struct SpinGuard {
  private static let limit = 4
  private let shortest: Duration
  private var lastAt: MonotonicTime?
  private var inARow = 0

  init(period: Duration) {
    shortest = period / 16
  }

  /// The device woke its thread at `time` for nothing.
  mutating func wokeInVain(at time: MonotonicTime) {
    if let lastAt, time - lastAt < shortest { inARow += 1 } else { inARow = 0 }
    lastAt = time
  }

  /// Whether to rest now; asking begins the count anew.
  mutating func takeRest() -> Bool {
    guard inARow >= Self.limit else { return false }
    inARow = 0
    return true
  }
}
