import AudioThreads
import Glibc
import Synchronization

/// Receives SIGINT, SIGTERM, and SIGHUP: the first asks the command to finish, the second ends the
/// process at once.
///
/// SIGUSR1 and SIGUSR2 control a recording; they end any other command, as is their default.
final class StopSignals: Sendable {
  // Held for a few instructions by the thread that receives signals and by the command.
  private let sequence = Mutex(StopSequence())
  private let stops: AsyncStream<Void>
  private let stop: AsyncStream<Void>.Continuation
  private let commands: AsyncStream<Int32>
  private let command: AsyncStream<Int32>.Continuation
  private let takesCommands: Bool

  // The lock is held to set the closure, and by the thread that ends the process.
  private let lastAct = Mutex<@Sendable () -> Void> {}

  /// Signaled with the first stop, after which blocking writes fail.
  let stopSignal: WakeUp?

  /// - Parameter takesCommands: whether SIGUSR1 and SIGUSR2 are queued for `commanding`; if false,
  ///   they end the process.
  init(takesCommands: Bool = false, stopSignal: WakeUp? = nil) {
    self.takesCommands = takesCommands
    self.stopSignal = stopSignal
    (stops, stop) = AsyncStream.makeStream()
    (commands, command) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  /// Starts to receive signals; call `block` before the process has a second thread.
  func start() throws(SystemError) {
    _ = try DedicatedThread.start(name: "syrinx-signals") { [self] in receiveForever() }
  }

  /// The signal that requested the end, or nil.
  var received: Int32? { sequence.withLock { $0.first } }

  /// Sets a function to call before a second signal ends the process.
  func beforeExit(_ act: @escaping @Sendable () -> Void) {
    lastAct.withLock { $0 = act }
  }

  /// Makes the first signal request the end instead of ending the process.
  func begin() {
    sequence.withLock { $0.begin() }
  }

  /// Runs `body`; on a signal, calls `finish`, which must make `body` end.
  ///
  /// An earlier signal ends the process, because there is nothing to finish. Call it only once.
  func finishing<Result>(
    with finish: @escaping @Sendable () async -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    begin()
    async let watch: Void = { [stops] in
      for await _ in stops { await finish() }
    }()
    let result = try await body()
    stop.finish()
    await watch
    return result
  }

  /// Runs `body`, and calls `act` for each SIGUSR1 and SIGUSR2.
  ///
  /// Call it only once.
  func commanding<Result>(
    _ act: @escaping @Sendable (AsyncStream<Int32>) async -> Void,
    _ body: () async throws -> Result
  ) async throws -> Result {
    async let watch: Void = { [commands] in await act(commands) }()
    let result = try await body()
    command.finish()
    await watch
    return result
  }

  /// Blocks the signals on this thread and on the threads that it starts.
  ///
  /// Under `nohup`, SIGHUP stays ignored.
  static func block() {
    var signals = stopSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func receiveForever() {
    var signals = Self.stopSignals()
    while true {
      var signal: Int32 = 0
      guard sigwait(&signals, &signal) == 0 else { continue }
      switch signal {
      case SIGUSR1, SIGUSR2: receiveCommand(signal)
      default: receiveStop(signal)
      }
    }
  }

  private func receiveStop(_ signal: Int32) {
    switch sequence.withLock({ $0.receive(signal) }) {
    case .finish:
      stopSignal?.signal()
      stop.yield()
    case .exit(let status): exit(status)
    }
  }

  private func receiveCommand(_ signal: Int32) {
    guard takesCommands else { return exit(StopSequence.status(signal)) }
    command.yield(signal)
  }

  private func exit(_ status: Int32) {
    lastAct.withLock { $0() }
    _exit(status)
  }

  private static func stopSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGUSR1)
    sigaddset(&signals, SIGUSR2)
    var hangUp = sigaction()
    sigaction(SIGHUP, nil, &hangUp)
    // SIG_IGN is the C macro `(void (*)(int)) 1`.
    if unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) != 1 {
      sigaddset(&signals, SIGHUP)
    }
    return signals
  }
}

/// The effects of stop signals: the first finishes the work, and the next ends the process.
struct StopSequence {
  /// The action to take.
  enum Action: Equatable {
    /// Finish the work: complete files, fade out.
    case finish
    /// End the process at once with this exit status.
    case exit(Int32)
  }

  private var canFinish = false

  /// The first signal, or nil.
  private(set) var first: Int32?

  /// Records that there is work to finish.
  mutating func begin() {
    canFinish = true
  }

  mutating func receive(_ signal: Int32) -> Action {
    guard canFinish, first == nil else { return .exit(Self.status(signal)) }
    first = signal
    return .finish
  }

  /// The status that shells report for a process ended by a signal: 130 for SIGINT, 143 for
  /// SIGTERM.
  static func status(_ signal: Int32) -> Int32 { 128 + signal }
}
