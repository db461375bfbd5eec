import Glibc

/// A thread for blocking calls, such as those of ALSA, libsndfile, or a speech engine.
///
/// Its stack is 1 MiB, and its name shows in `ps -L` and in debuggers. Signals are blocked, so
/// SIGINT and SIGTERM reach the main thread's handlers.
public struct DedicatedThread: Sendable {
  private let ended: Gate

  /// Starts a thread that runs `body` once.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the system shows its first 15 bytes.
  ///   - body: what the thread runs.
  /// - Throws: `ThreadError` if the system refuses another thread.
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

  /// Runs blocking work on a new thread and returns its result.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the system shows its first 15 bytes.
  ///   - abandoned: returned at once if the caller is canceled; `body` keeps running.
  ///   - failed: makes the result if the system refuses a thread.
  ///   - body: the work; it may block indefinitely.
  public static func run<Value: Sendable>(
    name: String, abandoned: Value, failed: (ThreadError) -> Value,
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    let promise = Promise<Value>()
    do throws(ThreadError) {
      _ = try start(name: name) { promise.resolve(.success(body())) }
    } catch {
      return failed(error)
    }
    // Only cancellation fails the promise.
    do { return try await promise.value() } catch { return abandoned }
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

  /// A short description for users.
  public var description: String {
    "no thread could be started: \(String(cString: strerror(code))) (errno \(code))"
  }
}
