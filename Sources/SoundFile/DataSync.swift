import AudioThreads
import Glibc
import Synchronization

/// Has the disk store what was written, on a thread of its own: that may take a slow disk seconds.
final class DataSync: Sendable {
  private struct State {
    var clock = SyncClock()
    var isEnding = false
    var failureCode: Int32 = 0
  }

  private let descriptor: Descriptor
  private let wish: WakeUp
  private let ended: WakeUp
  // Held to look and to decide, never while the disk works.
  private let state = Mutex(State())

  /// Starts the thread, which lives until `end`.
  init(_ descriptor: Descriptor) throws {
    self.descriptor = descriptor
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
    if state.withLock({ $0.clock.request() }) { wish.signal() }
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
  }

  private func work() {
    while true {
      wish.wait()
      guard !state.withLock(\.isEnding) else { return }
      repeat { synchronise() } while state.withLock { $0.clock.done() && !$0.isEnding }
    }
  }

  /// The corresponding C function is `fdatasync`.
  private func synchronise() {
    guard fdatasync(descriptor.number) != 0 else { return }
    let code = errno
    state.withLock { if $0.failureCode == 0 { $0.failureCode = code } }
  }
}
