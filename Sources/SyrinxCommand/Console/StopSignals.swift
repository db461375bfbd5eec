import AudioThreads
import Glibc
import Synchronization

/// SIGINT, SIGTERM and SIGHUP as the wish to finish; the second of them ends the process at once.
///
/// SIGUSR1 and SIGUSR2 are commands to a recording; every other command ends by them, as programs
/// usually do.
final class StopSignals: Sendable {
  // Held for a few instructions by the thread that receives signals and by the command.
  private let sequence = Mutex(StopSequence())
  private let wishes: AsyncStream<Void>
  private let wish: AsyncStream<Void>.Continuation
  private let commands: AsyncStream<Int32>
  private let command: AsyncStream<Int32>.Continuation
  private let takesCommands: Bool

  /// Signalled from the first wish to finish on: what could hold up the end is to be waited for no
  /// longer than it must.
  let hurry: WakeUp?

  /// - Parameter takesCommands: false for a command that ends by SIGUSR1 and SIGUSR2; with true
  ///   they wait for `commanding`, and lead to nothing after it or where it is never called.
  init(takesCommands: Bool = false, hurry: WakeUp? = nil) {
    self.takesCommands = takesCommands
    self.hurry = hurry
    (wishes, wish) = AsyncStream.makeStream()
    (commands, command) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  /// Starts to receive; `block` must have been called before the process had a second thread.
  func start() throws(ThreadError) {
    _ = try DedicatedThread.start(name: "syrinx-signals") { [self] in receiveForEver() }
  }

  /// The signal that asked to finish, nil while none did.
  var received: Int32? { sequence.withLock { $0.first } }

  /// Runs `body`; when a signal comes meanwhile, `finish` is called, which leads `body` to its end.
  ///
  /// A signal that came before ends the process: there is nothing to finish. For one call only.
  func finishing<Result>(
    with finish: @escaping @Sendable () async -> Void, _ body: () async throws -> Result
  ) async throws -> Result {
    sequence.withLock { $0.begin() }
    async let watch: Void = { [wishes] in
      for await _ in wishes { await finish() }
    }()
    let result = try await body()
    wish.finish()
    await watch
    return result
  }

  /// Runs `body`, and `act` with SIGUSR1 and SIGUSR2 as they come meanwhile; for one call only.
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

  /// Keeps these signals for `StopSignals`, on this thread and on those that it starts.
  ///
  /// A command under `nohup` ignores SIGHUP, and goes on to.
  static func block() {
    var signals = stopSignals()
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }

  private func receiveForEver() {
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
      hurry?.signal()
      wish.yield()
    case .exit(let status): _exit(status)
    }
  }

  private func receiveCommand(_ signal: Int32) {
    guard takesCommands else { _exit(StopSequence.status(signal)) }
    command.yield(signal)
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

/// What a signal to stop leads to: the first one ends the work properly, the next one ends the
/// process.
struct StopSequence {
  /// What is to be done now.
  enum Action: Equatable {
    /// The work in hand is to be finished: files completed, sounds faded out.
    case finish
    /// The process is to end at once, with this exit status.
    case exit(Int32)
  }

  private var canFinish = false

  /// The signal that came first, nil while none has.
  private(set) var first: Int32?

  /// From now on there is work that can be finished.
  mutating func begin() {
    canFinish = true
  }

  mutating func receive(_ signal: Int32) -> Action {
    guard canFinish, first == nil else { return .exit(Self.status(signal)) }
    first = signal
    return .finish
  }

  /// What shells report of a process that such a signal ended: 130 for SIGINT, 143 for SIGTERM.
  static func status(_ signal: Int32) -> Int32 { 128 + signal }
}
