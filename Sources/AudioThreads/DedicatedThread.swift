import Glibc
import Synchronization

/// A thread of its own for calls that block: ALSA's, libsndfile's, a speech engine's.
///
/// Its stack is 1 MiB, its name shows in `ps -L` and in a debugger, and signals are blocked on it, so that
/// SIGINT and SIGTERM always reach the main thread's handlers.
public struct DedicatedThread: Sendable {
  private let ended: Ended

  /// Starts a thread that runs `body` once and ends with it.
  ///
  /// - Parameter name: at most 15 bytes of it are shown by the system.
  /// - Throws: `ThreadError` where the system refuses another thread.
  public static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) -> DedicatedThread {
    let thread = DedicatedThread(ended: Ended())
    let ended = thread.ended
    try spawn(name: name) {
      body()
      ended.signal()
    }
    return thread
  }

  /// Returns when the thread's body has returned.
  public func join() async {
    await ended.wait()
  }

  /// Whether the thread's body has returned.
  public var hasEnded: Bool { ended.hasSignalled }
}

/// The system refused a thread, usually because of a limit (`ulimit -u`).
public struct ThreadError: Error, Equatable, CustomStringConvertible {
  /// The `errno` value of `pthread_create`.
  public let code: Int32

  /// A short text for people.
  public var description: String {
    "no thread could be started: \(String(cString: strerror(code))) (errno \(code))"
  }
}

/// A gate that opens once and lets all who wait through.
private final class Ended: Sendable {
  private struct State {
    var hasEnded = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }
  // Held for a few instructions at the end of a thread's life, never on the card's thread at work.
  private let state = Mutex(State())

  var hasSignalled: Bool { state.withLock { $0.hasEnded } }

  func signal() {
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if !state.hasEnded { state.waiting.append(continuation) }
        return state.hasEnded
      }
      if isOver { continuation.resume() }
    }
  }
}
