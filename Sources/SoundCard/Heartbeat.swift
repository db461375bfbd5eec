import Synchronization

/// What an engine's thread is doing with its device, as another thread sees it: a call into a
/// driver or a plug-in may never return.
///
/// Thread safety: `begin` and `end` belong to one thread and neither allocate nor wait.
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

  // The count, and the call in the lowest byte, so that both are read at once.
  private let word = Atomic<UInt64>(0)
  private let abandoned = Atomic<Bool>(false)

  /// A thread that has made no call yet.
  package init() {}

  /// What it does now.
  package var beat: Beat {
    let word = word.load(ordering: .acquiring)
    return Beat(count: word >> 8, call: Call(rawValue: UInt8(word & 0xff)) ?? .none)
  }

  /// A call begins.
  package func begin(_ call: Call) { advance(to: call) }

  /// It has returned.
  package func end() { advance(to: .none) }

  /// Whether nobody waits for the thread any more: it lets go of everything when its call returns.
  package var isAbandoned: Bool { abandoned.load(ordering: .acquiring) }

  /// Gives the thread up.
  package func abandon() { abandoned.store(true, ordering: .releasing) }

  /// Only one thread writes, so that nothing comes between the two halves.
  private func advance(to call: Call) {
    let count = (word.load(ordering: .relaxed) >> 8) &+ 1
    word.store(count << 8 | UInt64(call.rawValue), ordering: .releasing)
  }
}
