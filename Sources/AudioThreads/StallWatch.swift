/// Whether a device that is to move frames still does, by the time that was spent waiting for it.
///
/// Only waiting counts: a process that was stopped for a minute has waited no longer than its
/// time-out, and the device that it comes back to is given a chance. So is one on a machine that is
/// too busy, or that mends it for so long, that waits end late.
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

  /// A wait that ends later than that says nothing of a device that has been seen to run.
  private static let lateness = Duration.milliseconds(50)

  private let patience: Duration
  private let limit: Duration
  private let startLimit: Duration
  private var waited = Duration.zero
  private var waitedInTime = Duration.zero
  private var interruptions = 0
  private var refusals = 0
  private var isRunning = false

  /// A watch for a device that has not been waited for yet.
  ///
  /// - Parameters:
  ///   - patience: until a device is late.
  ///   - limit: until one that runs is stalled.
  ///   - startLimit: until one that has not begun is stalled: a headset that is woken by its radio
  ///     takes seconds.
  package init(patience: Duration, limit: Duration, startLimit: Duration) {
    (self.patience, self.limit, self.startLimit) = (patience, limit, startLimit)
  }

  /// For a device that is waited for at most so long at a time: one that runs is stalled within a
  /// second, where its buffer is no longer than a fifth of that.
  package init(patience: Duration, longestWait: Duration) {
    self.init(
      patience: patience, limit: max(.milliseconds(750), longestWait),
      startLimit: max(.seconds(5), longestWait))
  }

  /// What is thought of the device now.
  package var verdict: Verdict {
    if isRunning && waitedInTime >= limit { return .stalled }
    if waited >= startLimit || interruptions > Self.interruptionLimit { return .stalled }
    return waited > patience ? .late : .fine
  }

  /// How long the next wait may take, of `longest` at most: a device that runs is not waited for
  /// beyond its limit.
  package func nextWait(atMost longest: Duration) -> Duration {
    isRunning ? max(.milliseconds(1), min(longest, limit - waitedInTime)) : longest
  }

  /// The device has moved frames; `isRunning` where they are more than its empty buffer takes.
  package mutating func progressed(isRunning: Bool = true) {
    forgive()
    self.isRunning = isRunning
  }

  /// The device is not to move any frames for now.
  package mutating func forgive() {
    (waited, waitedInTime, interruptions, refusals) = (.zero, .zero, 0, 0)
  }

  /// A wait that asked for `timeout` at most ended after `time`; what it brought, `progressed` says.
  ///
  /// One that was cut short may have been that of a device that is being mended.
  package mutating func waited(
    _ time: Duration, atMost timeout: Duration, isCutShort: Bool = false
  ) {
    guard time <= timeout + Self.lateness else { return waited += timeout }
    waited += time
    if !isCutShort { waitedInTime += time }
  }

  /// Trouble was mended; how long that took says nothing about the device, unless it is in trouble
  /// again before it has moved a frame.
  package mutating func interrupted() {
    if interruptions == 0 { (waited, waitedInTime) = (.zero, .zero) }
    interruptions += 1
  }

  /// The device said that it was ready and moved nothing; true where it is to be left alone for a
  /// moment before it is asked again.
  package mutating func refused() -> Bool {
    refusals += 1
    return refusals > 2
  }
}
