import AudioCore
import AudioThreads
import FilePaths
import Glibc
import Logging
import Synchronization

/// Flushes written data to the disk on its own thread, because a slow disk may take seconds.
final class DataSync: Sendable {
  private struct State {
    /// Removed at the end, so that its descriptor is closed then, and not at the end of the thread.
    var store: (@Sendable () -> Int32)?
    var clock = SyncClock()
    var isEnding = false
    var failureCode: Int32 = 0
  }

  private let report: @Sendable (Duration) -> Void
  private let time: @Sendable () -> Duration
  private let wakeUp: WakeUp
  private let ended: WakeUp
  // Held for a step of the clock, never while the disk works.
  private let state: Mutex<State>

  /// Flushes the data of a file, and logs if that takes more than 5 s.
  ///
  /// The corresponding C function is `fdatasync`.
  convenience init(_ descriptor: Descriptor, path: String) throws {
    let start = ContinuousClock.now
    try self.init {
      fdatasync(descriptor.number) == 0 ? 0 : errno
    } time: {
      ContinuousClock.now - start
    } report: { time in
      Logger(label: "syrinx.file").warning(
        "the disk has taken \(time) to store the last second of \(FilePath(path))")
    }
  }

  /// Starts the thread, which lives until `end`.
  ///
  /// - Parameters:
  ///   - store: does the work and returns 0 or the error code.
  ///   - time: returns the time since a fixed moment.
  ///   - report: called with the duration of slow work.
  init(
    _ store: @escaping @Sendable () -> Int32, time: @escaping @Sendable () -> Duration,
    report: @escaping @Sendable (Duration) -> Void
  ) throws {
    (self.time, self.report) = (time, report)
    state = Mutex(State(store: store))
    wakeUp = try WakeUp()
    ended = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-sync") { [self] in
      work()
      ended.signal()
    }
  }

  /// The code of the first failure, or 0.
  var failureCode: Int32 { state.withLock(\.failureCode) }

  /// Requests a flush and returns at once.
  func request() {
    switch state.withLock({ $0.clock.request(at: time()) }) {
    case .begin: wakeUp.signal()
    case .wait: break
    case .waitAndReport(let slowness): report(slowness)
    }
  }

  /// Waits for the current request and ends the thread; calling it again has no effect.
  func end() {
    let isFirst = state.withLock { state in
      defer { state.isEnding = true }
      return !state.isEnding
    }
    guard isFirst else { return }
    wakeUp.signal()
    ended.wait()
    // It is released when this returns, not under the lock.
    _ = state.withLock { $0.store.take() }
  }

  private func work() {
    while true {
      wakeUp.wait()
      guard !state.withLock(\.isEnding) else { return }
      repeat { note(store()) } while endFlush()
    }
  }

  private func store() -> Int32 {
    state.withLock(\.store)?() ?? 0
  }

  private func note(_ code: Int32) {
    state.withLock { if $0.failureCode == 0 { $0.failureCode = code } }
  }

  /// Records the end of a flush; returns whether the next one begins now.
  private func endFlush() -> Bool {
    let (beginsNext, slowness) = state.withLock { state in
      let (beginsNext, slowness) = state.clock.done(at: time())
      return (beginsNext && !state.isEnding, slowness)
    }
    if let slowness { report(slowness) }
    return beginsNext
  }
}

/// Schedules flushes to the disk: one at a time, with later requests combined into one.
struct SyncClock {
  /// The response to a request.
  enum Action: Equatable {
    /// Nothing is running: begin.
    case begin
    /// A flush is running, and another one follows.
    case wait
    /// The same, and the running flush is overdue; reported once for each.
    case waitAndReport(Duration)
  }

  private enum State {
    case idle
    case busy
    case busyAndDue
  }

  /// The time that a flush may take before it is reported.
  static let limit = Duration.seconds(5)

  private var state = State.idle
  private var began = Duration.zero
  private var hasReported = false

  /// Requests a flush at `time`.
  mutating func request(at time: Duration) -> Action {
    if state == .idle {
      begin(at: time)
      return .begin
    }
    state = .busyAndDue
    return slowness(at: time).map { .waitAndReport($0) } ?? .wait
  }

  /// Records the end of a flush at `time`.
  ///
  /// - Returns: whether the next one should begin now, and the duration of this one if it was slow
  ///   and has not been reported.
  mutating func done(at time: Duration) -> (beginsNext: Bool, slowness: Duration?) {
    let slowness = slowness(at: time)
    let beginsNext = state == .busyAndDue
    if beginsNext { begin(at: time) } else { state = .idle }
    return (beginsNext, slowness)
  }

  private mutating func begin(at time: Duration) {
    (state, began, hasReported) = (.busy, time, false)
  }

  private mutating func slowness(at time: Duration) -> Duration? {
    guard !hasReported, time - began > Self.limit else { return nil }
    hasReported = true
    return time - began
  }
}

/// Schedules updates of a growing file: its header after every half second of audio, the rest after
/// every second.
struct SecondClock {
  /// The updates that are due.
  enum Updates: Equatable {
    case nothing
    case header
    case everything
  }

  private let half: FrameCount
  private var halves = 0
  private var next: FrameCount

  init(rate: SampleRate) {
    half = FrameCount((rate.hertz + 1) / 2)
    next = half
  }

  /// Returns the updates that are due at this frame, once for every completed half second and
  /// second.
  mutating func dueUpdates(at frame: FrameCount) -> Updates {
    guard frame >= next else { return .nothing }
    let before = halves / 2
    while next <= frame {
      next = next + half
      halves += 1
    }
    return halves / 2 > before ? .everything : .header
  }
}
