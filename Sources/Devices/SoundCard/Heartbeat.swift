import AudioCore
package import AudioThreads
import Synchronization

/// The device calls of an engine's audio thread, visible to other threads.
///
/// A call into a driver or a plug-in may never return. Exactly one thread continues the work: the
/// audio thread if its call returns in time, otherwise the thread that abandons the audio thread.
///
/// Thread safety: `begin`, `end`, and `abandon()` belong to one thread and neither allocate nor
/// block.
package final class Heartbeat: Sendable {
  /// A device call that may hang.
  package enum Call: UInt8, Sendable {
    case none
    case wait, start, drop, close, delay, write, read

    /// The name of the call.
    package var name: String { "\(self)" }
  }

  /// A snapshot: the number of calls begun or ended, and the current call.
  package typealias Beat = (count: UInt64, call: Call)

  private static let abandoned = UInt64.max

  // The count, with the call in the lowest byte, so that both change atomically.
  private let word = Atomic<UInt64>(0)

  /// Creates a heartbeat without calls.
  package init() {}

  /// The current snapshot.
  package var beat: Beat {
    let word = word.load(ordering: .acquiring)
    return (word >> 8, Call(rawValue: UInt8(word & 0xff)) ?? .none)
  }

  /// Records the start of a call; returns false if the thread has been abandoned.
  package func begin(_ call: Call) -> Bool { advance(to: call) }

  /// Records the end of the call; returns false if the thread has been abandoned meanwhile.
  package func end() -> Bool { advance(to: .none) }

  /// Whether the thread has been abandoned; it then only closes its device.
  package var isAbandoned: Bool { word.load(ordering: .acquiring) == Self.abandoned }

  /// Abandons the calling thread; returns false if it was abandoned before.
  package func abandon() -> Bool {
    word.exchange(Self.abandoned, ordering: .acquiringAndReleasing) != Self.abandoned
  }

  /// Abandons the thread in the call of a snapshot; returns false if the call has returned.
  package func abandon(in beat: Beat) -> Bool {
    replace(beat.count << 8 | UInt64(beat.call.rawValue), by: Self.abandoned)
  }

  /// Only the thread itself changes calls, so the exchange fails only if it is abandoned meanwhile.
  private func advance(to call: Call) -> Bool {
    let old = word.load(ordering: .relaxed)
    guard old != Self.abandoned else { return false }
    return replace(old, by: ((old >> 8) &+ 1) << 8 | UInt64(call.rawValue))
  }

  private func replace(_ old: UInt64, by new: UInt64) -> Bool {
    word.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }
}

/// Detects a hanging call from regular snapshots of a heartbeat.
///
/// Each snapshot counts for at most one interval, so a process that was stopped for a minute
/// reports no hang. Late snapshots indicate a busy machine, for which the limit is at least five
/// seconds.
package struct HeartbeatWatch: Sendable {
  /// The time between two snapshots.
  package static let interval = Duration.milliseconds(200)
  /// A call is suspicious from the second snapshot that finds it unchanged.
  private static let suspicion = Duration.milliseconds(300)
  private static let longestLimit = Duration.seconds(5)

  private var last: Heartbeat.Beat?
  /// Counts the time of the current call.
  private var watch = StallWatch(lateAfter: .zero, limit: .zero, startLimit: .zero)
  private var isSuspected = false

  /// Creates a watch without snapshots.
  package init() {}

  /// Evaluates a snapshot that was taken `passed` after the last one: `late` once in a call that may
  /// just sleep for long, and `stalled` in a call that hangs.
  ///
  /// - Parameters:
  ///   - beat: the snapshot.
  ///   - passed: the time since the last one.
  ///   - patience: the time limit for a call. With the patience for a sound card, a hang is
  ///     detected within a second of the call's start.
  package mutating func check(
    _ beat: Heartbeat.Beat, after passed: Duration,
    patience: Duration = PCMConfiguration.cardPatience
  ) -> StallWatch.Verdict {
    guard let last, beat == last, beat.call != .none else {
      (self.last, isSuspected) = (beat, false)
      watch = StallWatch(lateAfter: Self.suspicion, limit: .zero, startLimit: .zero)
      watch.progressed()
      return .fine
    }
    // The limits change, because a caller that wants to end is less patient.
    (watch.limit, watch.startLimit) = (patience, max(Self.longestLimit, patience))
    let isPunctual = passed <= Self.interval + StallWatch.lateness
    watch.waited(isPunctual ? min(passed, Self.interval) : passed, atMost: Self.interval)
    let verdict = watch.verdict
    guard verdict == .late else { return verdict }
    defer { isSuspected = true }
    return isSuspected ? .fine : .late
  }
}
