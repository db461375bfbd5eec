import Synchronization

/// The device calls of an engine's audio thread, visible to other threads.
///
/// A call into a driver or a plug-in may never return. Exactly one thread continues the work: the
/// audio thread if its call returns in time, otherwise the thread that abandons the audio thread.
///
/// Thread safety: `begin`, `end`, and `abandon()` belong to one thread and neither allocate nor
/// block.
package final class Heartbeat: Sendable {
  /// A snapshot: the number of calls begun or ended, and the current call.
  package typealias Beat = (count: UInt64, call: PCMCall?)

  private static let abandoned = UInt64.max

  // The number of calls begun or ended, with the current call or 0 in the lowest byte, so that both
  // change atomically.
  private let word = Atomic<UInt64>(0)

  /// Creates a heartbeat without calls.
  package init() {}

  /// The current snapshot.
  package var beat: Beat {
    let word = word.load(ordering: .acquiring)
    return (word >> 8, PCMCall(rawValue: UInt8(word & 0xff)))
  }

  /// Records the start of a call; returns false if the thread has been abandoned.
  package func begin(_ call: PCMCall) -> Bool { advance(to: call) }

  /// Records the end of the call; returns false if the thread has been abandoned meanwhile.
  package func end() -> Bool { advance(to: nil) }

  /// Whether the thread has been abandoned; it then only closes its device.
  package var isAbandoned: Bool { word.load(ordering: .acquiring) == Self.abandoned }

  /// Abandons the calling thread; returns false if it was abandoned before.
  package func abandon() -> Bool {
    word.exchange(Self.abandoned, ordering: .acquiringAndReleasing) != Self.abandoned
  }

  /// Abandons the thread if it is still in the call that `beat` recorded; returns false if that
  /// call has returned.
  package func abandon(in beat: Beat) -> Bool {
    replace(Self.word(beat), by: Self.abandoned)
  }

  /// Counts the beginning or the end of a call; returns false if the thread has been abandoned.
  ///
  /// Only the monitored thread counts calls, so the exchange fails only if another thread abandons
  /// it.
  private func advance(to call: PCMCall?) -> Bool {
    let old = word.load(ordering: .relaxed)
    guard old != Self.abandoned else { return false }
    return replace(old, by: Self.word(((old >> 8) &+ 1, call)))
  }

  private static func word(_ beat: Beat) -> UInt64 {
    beat.count << 8 | UInt64(beat.call?.rawValue ?? 0)
  }

  private func replace(_ old: UInt64, by new: UInt64) -> Bool {
    word.compareExchange(expected: old, desired: new, ordering: .acquiringAndReleasing).exchanged
  }
}
