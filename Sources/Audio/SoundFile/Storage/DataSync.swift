import AudioCore
import AudioThreads
import FilePaths
import Glibc
import Logging
import Synchronization

/// Flushes written data to the disk on another thread, because a slow disk may take seconds.
final class DataSync: Sendable {
  /// The duration from which a flush is reported as slow.
  private static let limit = Duration.seconds(5)

  private let report: @Sendable (Duration) -> Void
  private let time: @Sendable () -> Duration
  /// The threads that flush.
  private let threads: ThreadPool
  /// Signaled after a flush that `end` waits for.
  private let ended: WakeUp
  // The lock is held for a few instructions, never during a flush.
  private let state: Mutex<State>

  // This is a struct: if the value of a mutex is a closure, or a tuple that contains a closure,
  // every `withLock` wraps the closure in another closure.
  private struct State {
    /// Flushes the file; nil after `end`.
    var store: (@Sendable () -> Int32)?
    var isRequested = false
    /// Whether a job is queued or running; the job also performs later requests.
    var isScheduled = false
    var isFlushing = false
    /// The time from which the running flush, or the request that waits for a thread, counts as
    /// slow; nil without them, and after a report.
    var began: Duration?
    var failureCode: Int32 = 0
  }

  /// Flushes the data of a file, and logs flushes that take more than 5 s.
  ///
  /// The corresponding C function is `fdatasync`. The flushes run on `threads`, or on the file's
  /// own thread if it is nil.
  convenience init(
    _ descriptor: Descriptor, path: String, on threads: ThreadPool? = nil
  ) throws(SystemError) {
    let start = ContinuousClock.now
    try self.init(on: threads) {
      fdatasync(descriptor.number) == 0 ? 0 : errno
    } time: {
      ContinuousClock.now - start
    } report: { time in
      Logger(label: "syrinx.file").warning(
        "the disk has taken \(time) to store the last second of \(FilePath(path))")
    }
  }

  /// Flushes with a closure.
  ///
  /// - Parameters:
  ///   - threads: the threads on which the flushes run; nil for the file's own thread.
  ///   - store: flushes and returns 0 or the error code.
  ///   - time: returns the time since a fixed moment.
  ///   - report: called with the duration of a slow flush.
  init(
    on threads: ThreadPool? = nil, _ store: @escaping @Sendable () -> Int32,
    time: @escaping @Sendable () -> Duration, report: @escaping @Sendable (Duration) -> Void
  ) throws(SystemError) {
    // Only one job at a time needs a thread; a second thread may sleep.
    self.threads =
      if let threads { threads } else { try ThreadPool(name: "syrinx-sync", joinDelay: .zero) }
    (self.time, self.report) = (time, report)
    state = Mutex(State(store: store))
    ended = try WakeUp()
  }

  /// The code of the first failure, or 0.
  var failureCode: Int32 { state.withLock { $0.failureCode } }

  /// Requests a flush and returns at once.
  func request() {
    let now = time()
    let isNew = state.withLock { state in
      guard state.store != nil else { return false }
      // Requests during a flush cause one more flush.
      state.isRequested = true
      guard !state.isScheduled else { return false }
      (state.isScheduled, state.began) = (true, now)
      return true
    }
    if isNew { threads.perform { [self] in work() } }
    reportSlowness()
  }

  /// Waits for the running flush and ignores other requests; calling it again has no effect.
  func end() {
    // The closure, which retains the descriptor, is released outside the lock.
    let (store, isFlushing) = state.withLock { state in
      if !state.isFlushing { state.began = nil }
      return (state.store.take(), state.isFlushing)
    }
    if store != nil, isFlushing { ended.wait() }
  }

  /// Performs the requests, on a thread of the pool.
  private func work() {
    while let store = begin() {
      let code = store()
      let slow = state.withLock { state -> Duration? in
        if state.failureCode == 0 { state.failureCode = code }
        return slowness(since: state.began.take())
      }
      if let slow { report(slow) }
    }
  }

  /// Returns the closure for the next flush, or nil if none is requested.
  private func begin() -> (@Sendable () -> Int32)? {
    let now = time()
    let (store, hasEnded) = state.withLock { state in
      let hasEnded = state.isFlushing && state.store == nil
      let store = state.isRequested ? state.store : nil
      state.isRequested = false
      (state.isFlushing, state.isScheduled) = (store != nil, store != nil)
      if store != nil, state.began == nil { state.began = now }
      return (store, hasEnded)
    }
    if hasEnded { ended.signal() }
    return store
  }

  /// Reports the running flush, or the request that waits for a thread, if it is slow.
  private func reportSlowness() {
    let slow = state.withLock { state -> Duration? in
      guard let elapsed = slowness(since: state.began) else { return nil }
      state.began = nil
      return elapsed
    }
    if let slow { report(slow) }
  }

  /// Returns the time since `began`; nil if that is not slow.
  private func slowness(since began: Duration?) -> Duration? {
    guard let began, case let elapsed = time() - began, elapsed > Self.limit else { return nil }
    return elapsed
  }
}

/// Reports the ends of equal intervals of audio, such as seconds.
struct FrameClock {
  private let length: FrameCount
  private var next: FrameCount

  init(every length: FrameCount) {
    (self.length, next) = (length, length)
  }

  /// Returns whether an interval has ended at or before this frame since the last call.
  mutating func isDue(at frame: FrameCount) -> Bool {
    guard frame >= next else { return false }
    while next <= frame { next += length }
    return true
  }
}
