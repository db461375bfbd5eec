/// Detects a device that no longer moves frames, or a call that makes no progress.
///
/// Only the time in waits counts, and each wait counts for at most its timeout. A device is
/// therefore not stalled just because the process was stopped for a minute. Waits that end late, on
/// a busy machine, and waits that a recovery cuts short count only toward `startLimit`.
package struct StallWatch: Equatable, Sendable {
  /// The state of the device.
  package enum Verdict: Equatable, Sendable {
    /// The device is neither late nor stalled.
    case fine
    /// The device has moved no frames for some time; stopping the engine no longer waits for it.
    case late
    /// The device no longer moves frames.
    case stalled
  }

  /// The maximum number of recoveries without moving a frame; a device that needs more is stalled.
  static let interruptionLimit = 100

  /// The number of discards after which a device counts as stalled, if it plays at most one buffer
  /// between them.
  static let discardLimit = 4

  /// How much later than its timeout a wait may end and still count toward `limit`.
  package static let lateness = Duration.milliseconds(50)

  private let lateAfter: Duration
  /// The waiting time without progress after which a running device counts as stalled.
  package var limit: Duration
  /// The waiting time without progress after which a device that has not started counts as stalled.
  package var startLimit: Duration
  private var waited = Duration.zero
  private var waitedInTime = Duration.zero
  private var interruptions = 0
  private var refusals = 0
  private var discards = 0
  private var isRunning = false

  /// Creates a watch for a device that has not been waited for yet.
  ///
  /// - Parameters:
  ///   - lateAfter: the time until a device is late.
  ///   - limit: the waiting time without progress after which a running device counts as stalled.
  ///   - startLimit: the same time for a device that has not started; a Bluetooth headset takes
  ///     seconds to wake.
  package init(lateAfter: Duration, limit: Duration, startLimit: Duration) {
    (self.lateAfter, self.limit, self.startLimit) = (lateAfter, limit, startLimit)
  }

  /// Creates a watch for waits of at most `longestWait`.
  ///
  /// - Parameters:
  ///   - lateAfter: the time until a device is late.
  ///   - longestWait: the longest wait; it replaces a shorter `patience`.
  ///   - patience: the waiting time without progress after which a running device counts as
  ///     stalled.
  package init(lateAfter: Duration, longestWait: Duration, patience: Duration) {
    self.init(
      lateAfter: lateAfter, limit: max(patience, longestWait),
      startLimit: max(.seconds(5), patience, longestWait))
  }

  /// The current state of the device.
  package var verdict: Verdict {
    if isRunning && waitedInTime >= limit { return .stalled }
    if waited >= startLimit || interruptions > Self.interruptionLimit { return .stalled }
    if discards >= Self.discardLimit { return .stalled }
    return waited > lateAfter ? .late : .fine
  }

  /// Returns the timeout of the next wait: at most `longest`, and for a running device at most the
  /// remaining time of its limit.
  package func nextWait(atMost longest: Duration) -> Duration {
    isRunning ? max(.milliseconds(1), min(longest, limit - waitedInTime)) : longest
  }

  /// Records that the device moved frames.
  ///
  /// - Parameter isRunning: whether it has moved more frames than fit into its buffer.
  package mutating func progressed(isRunning: Bool = true) {
    reset()
    if isRunning { discards = 0 }
    self.isRunning = isRunning
  }

  /// Resets the waiting time and the counts of recoveries and refusals; call it when the device is
  /// not expected to move frames.
  package mutating func reset() {
    (waited, waitedInTime, interruptions, refusals) = (.zero, .zero, 0, 0)
  }

  /// Records a wait that took `time` and had this timeout; call `progressed` if frames moved.
  ///
  /// If `isCutShort` is true, the wait ended early, perhaps because of a recovery.
  package mutating func waited(
    _ time: Duration, atMost timeout: Duration, isCutShort: Bool = false
  ) {
    guard time <= timeout + Self.lateness else { return waited += timeout }
    waited += time
    if !isCutShort { waitedInTime += time }
  }

  /// Records a recovery.
  ///
  /// The first recovery after a transfer resets the waiting time. Further recoveries do not, so a
  /// device that recovers again and again without a transfer counts as stalled in the end.
  ///
  /// - Parameter isDiscarding: whether the device has discarded frames instead of playing them.
  package mutating func interrupted(isDiscarding: Bool = false) {
    if isDiscarding { discards += 1 }
    if interruptions == 0 { (waited, waitedInTime) = (.zero, .zero) }
    interruptions += 1
  }

  /// Records that a ready device moved no frames; returns true if the caller should pause before
  /// the next attempt.
  package mutating func refused() -> Bool {
    refusals += 1
    return refusals > 2
  }
}
