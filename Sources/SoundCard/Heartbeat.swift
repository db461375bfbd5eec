import Synchronization

/// What an engine's thread is doing with its device, as another thread sees it: a call into a
/// driver or a plug-in may never return.
///
/// Exactly one of them goes on with what the engine's thread worked on: the thread, where its call
/// returns in time, or whoever abandons it in that call.
///
/// Thread safety: `begin`, `end` and `abandon()` belong to one thread and neither allocate nor wait.
package final class Heartbeat: Sendable {
  /// A call that a device may hang in.
  package enum Call: UInt8, Sendable {
    case none
    case wait, start, drop, close, delay, write, read

    /// The call in words.
    package var name: String { "\(self)" }
  }

  /// One look at it: the calls so far, and the one that is under way.
  package struct Beat: Equatable, Sendable {
    /// How many calls have begun or ended.
    package var count: UInt64
    /// The call that is under way.
    package var call: Call

    /// Describes a look.
    package init(count: UInt64, call: Call) {
      self.count = count
      self.call = call
    }
  }

  private static let abandoned = UInt64.max

  // The count, and the call in the lowest byte, so that both change at once.
  private let word = Atomic<UInt64>(0)

  /// A thread that has made no call yet.
  package init() {}

  /// What it does now.
  package var beat: Beat {
    let word = word.load(ordering: .acquiring)
    return Beat(count: word >> 8, call: Call(rawValue: UInt8(word & 0xff)) ?? .none)
  }

  /// A call begins; false where the thread has been abandoned.
  package func begin(_ call: Call) -> Bool { advance(to: call) }

  /// It has returned; false where the thread has been abandoned meanwhile.
  package func end() -> Bool { advance(to: .none) }

  /// Whether nobody waits for the thread any more: all that it still does is to close its device.
  package var isAbandoned: Bool { word.load(ordering: .acquiring) == Self.abandoned }

  /// The thread gives itself up; false where it has been abandoned before.
  package func abandon() -> Bool {
    word.exchange(Self.abandoned, ordering: .acquiringAndReleasing) != Self.abandoned
  }

  /// Gives the thread up in a call that it was seen in; false where that has returned.
  package func abandon(in beat: Beat) -> Bool {
    replace(beat.count << 8 | UInt64(beat.call.rawValue), by: Self.abandoned)
  }

  /// Only the thread itself goes from call to call, so that nothing comes between the two halves
  /// but that it is abandoned.
  private func advance(to call: Call) -> Bool {
    let old = word.load(ordering: .relaxed)
    guard old != Self.abandoned else { return false }
    return replace(old, by: ((old >> 8) &+ 1) << 8 | UInt64(call.rawValue))
  }

  private func replace(_ old: UInt64, by new: UInt64) -> Bool {
    word.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }
}
