import CLinux
import Glibc
import Synchronization

/// A thread for blocking calls, such as those of ALSA, libsndfile, or a speech engine.
///
/// Its stack is 1 MiB, and its name is shown by `ps -L` and debuggers. Signals are blocked, so
/// SIGINT and SIGTERM reach the main thread's handlers.
public struct DedicatedThread: Sendable {
  private let ended = Gate()

  fileprivate init() {}

  /// Starts a thread that runs `body` once.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the system shows its first 15 bytes.
  ///   - body: the function that the thread runs.
  /// - Throws: `SystemError` if the system refuses another thread.
  public static func start(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) -> DedicatedThread {
    let thread = DedicatedThread()
    try thread.run(name: name, body)
    return thread
  }

  fileprivate func run(
    name: String, _ body: @escaping @Sendable () -> Void
  ) throws(SystemError) {
    try spawn(name: name) { [ended] in
      body()
      ended.open()
    }
  }

  /// Runs blocking work on a new thread and returns its result.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the system shows its first 15 bytes.
  ///   - abandoned: returned at once if the caller is canceled; `body` keeps running.
  ///   - failed: makes the result if the system refuses a thread.
  ///   - body: the work; it may block indefinitely.
  public static func run<Value: Sendable>(
    name: String, abandoned: Value, failed: (SystemError) -> Value,
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    do {
      return try await run(name: name) { body() }
    } catch let error as SystemError {
      return failed(error)
    } catch {
      return abandoned
    }
  }

  /// Runs blocking work on a new thread and returns its result.
  ///
  /// - Throws: the error of the work, `SystemError`, and `CancellationError` at once if the caller
  ///   is canceled; the work keeps running.
  package static func run<Value: Sendable>(
    name: String, _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let promise = Promise<Value>()
    _ = try start(name: name) { promise.resolve(Result { try work() }) }
    return try await promise.value()
  }

  /// Runs blocking work on a new thread and waits for its end, even if the caller is canceled.
  ///
  /// - Parameters:
  ///   - name: the thread's name; the system shows its first 15 bytes.
  ///   - interrupt: called if the caller is canceled; it may end the work early.
  ///   - work: the work, whose result is returned.
  /// - Throws: the error of the work, and `SystemError`.
  package static func runToEnd<Value: Sendable>(
    name: String, interrupt: @escaping @Sendable () -> Void = {},
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await withTaskCancellationHandler {
      // A separate task is not affected by the caller's cancellation.
      try await Task { try await run(name: name, work) }.value
    } onCancel: {
      interrupt()
    }
  }

  /// Returns when the thread's body has returned.
  public func join() async {
    await ended.wait()
  }

  /// Whether the thread's body has returned.
  public var hasEnded: Bool { ended.isOpen }
}

/// Starts a detached thread with a 1 MiB stack and all signals blocked.
private func spawn(name: String, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
  pthread_attr_setstacksize(&attributes, 1 << 20)

  // A thread inherits its creator's signal mask, so block the signals, create the thread, and
  // restore the mask.
  var everything = sigset_t()
  var previous = sigset_t()
  sigfillset(&everything)
  // Traps on the thread must reach Swift's backtracer.
  for signal in [SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT] {
    sigdelset(&everything, signal)
  }
  pthread_sigmask(SIG_BLOCK, &everything, &previous)
  defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }

  // The new thread moves the closure out of this memory and frees the memory.
  let start = UnsafeMutablePointer<@Sendable () -> Void>.allocate(capacity: 1)
  start.initialize(to: {
    _ = syrinx_set_thread_name(name)
    body()
  })
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { context in
      guard let start = context?.assumingMemoryBound(to: (@Sendable () -> Void).self) else {
        return nil
      }
      let run = start.move()
      start.deallocate()
      run()
      return nil
    }, start)
  guard code == 0 else {
    start.deinitialize(count: 1).deallocate()
    throw SystemError(failure: "no thread could be started", code: code)
  }
}

/// A serial executor with its own thread, for actors that call blocking C functions.
///
/// Return it as an actor's `unownedExecutor` to keep the actor off Swift's cooperative pool. The
/// thread ends when the executor is released.
public final class ThreadExecutor: SerialExecutor {
  /// The thread; use it to wait for its end.
  public let thread = DedicatedThread()

  // The lock is held to add and remove jobs, never while a job runs. Each pending job retains the
  // executor, because a running job may release the last other reference to it.
  private let pending = Mutex<[(job: UnownedJob, executor: ThreadExecutor)]>([])
  private let wakeUp: WakeUp

  /// Starts the thread.
  ///
  /// - Parameter name: the thread's name; the system shows its first 15 bytes.
  /// - Throws: `SystemError` if the system has no thread or descriptor left.
  public init(name: String) throws {
    wakeUp = try WakeUp()
    // The thread retains the executor only while jobs run, so that the executor can be released.
    try thread.run(name: name) { [wakeUp, weak self] in
      repeat { wakeUp.wait() } while self?.runPending() != nil
    }
  }

  deinit {
    wakeUp.signal()
  }

  /// Enqueues a job to run on the thread, in order.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    pending.withLock { $0.append((job, self)) }
    wakeUp.signal()
  }

  private func runPending() {
    while let (job, executor) = pending.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      job.runSynchronously(on: executor.asUnownedSerialExecutor())
    }
  }
}
