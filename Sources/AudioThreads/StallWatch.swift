/// Whether a device that is to move frames still does, by the time that was spent waiting for it.
///
/// Only waiting counts: a process that was stopped for a minute has waited no longer than its
/// time-out, and the device that it comes back to is given a chance.
package struct StallWatch: Equatable, Sendable {
  /// What to think of the device.
  package enum Verdict: Equatable, Sendable {
    /// It moves frames, or may yet.
    case fine
    /// It is so late that what is to end anyway need not wait for it.
    case late
    /// It will not move frames any more.
    case stalled
  }

  /// A device that is mended so often without moving a frame cannot be mended.
  static let interruptionLimit = 100

  private let patience: Duration
  private let limit: Duration
  private var waited = Duration.zero
  private var interruptions = 0
  private var refusals = 0

  /// A watch for a device that has not been waited for yet.
  package init(patience: Duration, limit: Duration) {
    self.patience = patience
    self.limit = limit
  }

  /// What is thought of the device now.
  package var verdict: Verdict {
    if waited > limit || interruptions > Self.interruptionLimit { return .stalled }
    return waited > patience ? .late : .fine
  }

  /// The device has moved frames, or is not to move any for now.
  package mutating func progressed() {
    self = StallWatch(patience: patience, limit: limit)
  }

  /// A wait that asked for `timeout` at most ended after `time` and in vain.
  package mutating func waited(_ time: Duration, atMost timeout: Duration) {
    waited += min(time, timeout)
  }

  /// Trouble was mended; how long that took says nothing about the device.
  package mutating func interrupted() {
    waited = .zero
    interruptions += 1
  }

  /// The device said that it was ready and moved nothing; true where it is to be left alone for a
  /// moment before it is asked again.
  package mutating func refused() -> Bool {
    refusals += 1
    return refusals > 2
  }
}
