import AudioCore
import AudioThreads
import FilePaths
import Glibc
import Logging
import Synchronization

/// Flushes written data to the disk on its own thread, because a slow disk may take seconds.
final class DataSync: Sendable {
  private struct State {
    /// Set to nil by `end`, so that the descriptor is closed before the thread ends.
    var store: (@Sendable () -> Int32)?
    var clock = SyncClock()
    var isEnding = false
    var failureCode: Int32 = 0
  }

  private let report: @Sendable (Duration) -> Void
  private let time: @Sendable () -> Duration
  private let wakeUp: WakeUp
  private let ended: WakeUp
  // The lock is held for a step of the clock, never during a flush.
  private let state: Mutex<State>

  /// Flushes the data of a file, and logs flushes that take more than 5 s.
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
  ///   - store: flushes and returns 0 or the error code.
  ///   - time: returns the time since a fixed moment.
  ///   - report: called with the duration of a slow flush.
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
    // Requests during a flush share one signal, which causes one more flush.
    wakeUp.signal()
    if let slowness = state.withLock({ $0.clock.slowness(at: time()) }) { report(slowness) }
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
    // The closure is released here, outside the lock.
    _ = state.withLock { $0.store.take() }
  }

  private func work() {
    while true {
      wakeUp.wait()
      guard !state.withLock(\.isEnding) else { return }
      state.withLock { $0.clock.begin(at: time()) }
      let code = state.withLock(\.store)?() ?? 0
      let slowness = state.withLock { state in
        if state.failureCode == 0 { state.failureCode = code }
        return state.clock.end(at: time())
      }
      if let slowness { report(slowness) }
    }
  }
}

/// Measures flushes to the disk, one at a time.
struct SyncClock {
  /// The duration from which a flush is reported as slow.
  static let limit = Duration.seconds(5)

  /// The start time of the running flush; nil without a flush or once it has been reported.
  private var began: Duration?

  /// Records the beginning of a flush at `time`.
  mutating func begin(at time: Duration) {
    began = time
  }

  /// Returns the duration of the running flush if it is slow, once for each flush.
  mutating func slowness(at time: Duration) -> Duration? {
    guard let began, time - began > Self.limit else { return nil }
    self.began = nil
    return time - began
  }

  /// Records the end of a flush at `time`; returns its duration if it was slow and unreported.
  mutating func end(at time: Duration) -> Duration? {
    defer { began = nil }
    return slowness(at: time)
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
