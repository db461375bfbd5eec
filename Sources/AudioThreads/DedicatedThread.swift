import Glibc

/// A thread of its own for calls that block: ALSA's, libsndfile's, a speech engine's.
///
/// Its stack is 1 MiB, its name shows in `ps -L` and in a debugger, and signals are blocked on it,
/// so that SIGINT and SIGTERM always reach the main thread's handlers.
public struct DedicatedThread: Sendable {
  private let ended: Gate

  /// Starts a thread that runs `body` once and ends with it.
  ///
  /// - Parameter name: at most 15 bytes of it are shown by the system.
  /// - Throws: `ThreadError` where the system refuses another thread.
  public static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(ThreadError) -> DedicatedThread {
    let thread = DedicatedThread(ended: Gate())
    let ended = thread.ended
    try spawn(name: name) {
      body()
      ended.open()
    }
    return thread
  }

  /// Returns when the thread's body has returned.
  public func join() async {
    await ended.wait()
  }

  /// Whether the thread's body has returned.
  public var hasEnded: Bool { ended.isOpen }
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
