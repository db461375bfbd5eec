/// Whether a thread hangs in a call, by looks at its heartbeat.
///
/// Only time between looks counts, and no more of it than they are apart: a process that was
/// stopped for a minute suspects nobody. Looks that come late say that the machine is too busy to
/// let the watching thread run in time, and perhaps the other one as well: where they do, it takes
/// seconds until a thread is said to hang.
package struct HeartbeatWatch: Sendable {
  /// What to think of the thread.
  package enum Verdict: Equatable, Sendable {
    case fine
    /// It may only sleep for long: it is to be woken, once.
    case suspicious
    /// Its call will not return in useful time.
    case stuck(Heartbeat.Call)
  }

  /// How far two looks are apart.
  package static let interval = Duration.milliseconds(200)
  private static let suspicion = Duration.milliseconds(400)
  /// With the look that came before the call, less than a second since it began.
  private static let limit = Duration.milliseconds(750)
  /// A look that comes so much too late is late.
  private static let tolerance = Duration.milliseconds(50)
  private static let longestPatience = Duration.seconds(5)

  private var last: Heartbeat.Beat?
  private var time = Duration.zero
  /// The part of it that was watched in time.
  private var punctual = Duration.zero
  private var isSuspected = false

  /// A watch that has not looked yet.
  package init() {}

  /// Takes a look, so much time after the last one.
  package mutating func look(_ beat: Heartbeat.Beat, after passed: Duration) -> Verdict {
    guard beat == last, beat.call != .none else {
      self = HeartbeatWatch()
      last = beat
      return .fine
    }
    let counted = min(passed, Self.interval)
    time += counted
    if passed <= Self.interval + Self.tolerance { punctual += counted }
    if punctual >= Self.limit || time >= Self.longestPatience { return .stuck(beat.call) }
    guard time >= Self.suspicion, !isSuspected else { return .fine }
    isSuspected = true
    return .suspicious
  }
}
