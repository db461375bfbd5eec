import AudioThreads
import FilePaths
import Glibc
import Logging
import Synchronization

/// Has the disk store what was written, on a thread of its own: that may take a slow disk seconds.
final class DataSync: Sendable {
  private struct State {
    /// Gone with the end: its descriptor is to be closed then, and not when the thread is gone.
    var store: (@Sendable () -> Int32)?
    var clock = SyncClock()
    var isEnding = false
    var failureCode: Int32 = 0
  }

  private let tell: @Sendable (Duration) -> Void
  private let time: @Sendable () -> Duration
  private let wish: WakeUp
  private let ended: WakeUp
  // Held to look and to decide, never while the disk works.
  private let state: Mutex<State>

  /// Stores the data of a file, and logs where that takes more than 5 s.
  ///
  /// The corresponding C function is `fdatasync`.
  convenience init(_ descriptor: Descriptor, path: String) throws {
    let start = ContinuousClock.now
    try self.init {
      fdatasync(descriptor.number) == 0 ? 0 : errno
    } time: {
      ContinuousClock.now - start
    } tell: { time in
      Logger(label: "syrinx.file").warning(
        "the disk has taken \(time) to store the last second of \(FilePath(path))")
    }
  }

  /// Starts the thread, which lives until `end`.
  ///
  /// - Parameters:
  ///   - store: does the work and gives 0, or the code of its failure.
  ///   - time: tells the time since a fixed moment.
  ///   - tell: is told how long the work has taken where that is long.
  init(
    _ store: @escaping @Sendable () -> Int32, time: @escaping @Sendable () -> Duration,
    tell: @escaping @Sendable (Duration) -> Void
  ) throws {
    (self.time, self.tell) = (time, tell)
    state = Mutex(State(store: store))
    wish = try WakeUp()
    ended = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-sync") { [self] in
      work()
      ended.signal()
    }
  }

  /// The code of the first failure, 0 before.
  var failureCode: Int32 { state.withLock(\.failureCode) }

  /// Asks for it; returns at once.
  func request() {
    switch state.withLock({ $0.clock.request(at: time()) }) {
    case .begin: wish.signal()
    case .wait: break
    case .waitAndTell(let slowness): tell(slowness)
    }
  }

  /// Waits for what is under way, and ends the thread; again it does nothing.
  func end() {
    let isFirst = state.withLock { state in
      defer { state.isEnding = true }
      return !state.isEnding
    }
    guard isFirst else { return }
    wish.signal()
    ended.wait()
    // It is released when this returns, not under the lock.
    _ = state.withLock { $0.store.take() }
  }

  private func work() {
    while true {
      wish.wait()
      guard !state.withLock(\.isEnding) else { return }
      repeat { note(store()) } while goesOn()
    }
  }

  private func store() -> Int32 {
    state.withLock(\.store)?() ?? 0
  }

  private func note(_ code: Int32) {
    state.withLock { if $0.failureCode == 0 { $0.failureCode = code } }
  }

  private func goesOn() -> Bool {
    let (goesOn, slowness) = state.withLock { state in
      let (goesOn, slowness) = state.clock.done(at: time())
      return (goesOn && !state.isEnding, slowness)
    }
    if let slowness { tell(slowness) }
    return goesOn
  }
}
