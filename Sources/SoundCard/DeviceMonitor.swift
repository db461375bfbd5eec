import AudioCore
package import AudioThreads
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

/// Lets another thread than the device's own notice that the device hangs.
package final class DeviceMonitor: Sendable {
  /// What the device's thread does.
  package let heartbeat = Heartbeat()
  /// What wakes the device.
  package let waker: WakeUp
  private let device: AudioDevice.ID

  init(_ pcm: any PCM) {
    device = pcm.configuration.device
    waker = pcm.waker
  }

  /// Waits for a signal for a moment, and looks at the device where none comes.
  ///
  /// - Returns: what is wrong, where the device hangs: its thread has been abandoned then, and what
  ///   it worked on is the caller's.
  package func wait(for news: WakeUp, _ watch: inout HeartbeatWatch) -> SoundCardError? {
    let before = SuspendingClock.now
    news.wait(atMost: HeartbeatWatch.interval)
    let beat = heartbeat.beat
    switch watch.look(beat, after: before.duration(to: .now)) {
    case .fine: return nil
    case .suspicious:
      waker.signal()
      return nil
    case .stuck(let call):
      // Its call may return right now.
      return heartbeat.abandon(in: beat) ? .notAnswering(device, operation: call.name) : nil
    }
  }
}

extension DeviceMonitor {
  /// Makes a call that can be seen; throws where the thread has been abandoned, before or in it.
  func call<Value>(
    _ call: Heartbeat.Call, _ body: () throws(SoundCardError) -> Value
  ) throws(SoundCardError) -> Value {
    guard heartbeat.begin(call) else { throw .deviceLost(device) }
    let result = Result { () throws(SoundCardError) in try body() }
    guard heartbeat.end() else { throw .deviceLost(device) }
    return try result.get()
  }
}
