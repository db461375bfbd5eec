import AudioThreads
import Glibc
import Synchronization

/// Receives SIGINT, SIGTERM, and SIGHUP: the first one asks the command to finish, the second one
/// ends the process at once.
///
/// SIGUSR1 and SIGUSR2 control a recording or a listening switch. They end any other command, as is
/// their default.
final class StopSignals: Sendable {
  // The command and the thread that receives signals hold this lock briefly.
  private let state = Mutex(State())
  private let stops: AsyncStream<Void>
  private let stop: AsyncStream<Void>.Continuation
  private let commands: AsyncStream<Int32>
  private let command: AsyncStream<Int32>.Continuation
  private let takesCommands: Bool

  private struct State {
    var canFinish = false
    var first: Int32?
    var lastActs: [@Sendable () -> Void] = []
  }

  /// Signaled when the first stop signal arrives; blocking writes then fail.
  let stopSignal: WakeUp?

  /// If `takesCommands` is true, SIGUSR1 and SIGUSR2 are queued for `commanding`; otherwise they
  /// end the process.
  init(takesCommands: Bool = false, stopSignal: WakeUp? = nil) {
    self.takesCommands = takesCommands
    self.stopSignal = stopSignal
    (stops, stop) = AsyncStream.makeStream()
    (commands, command) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(64))
  }

  // The object that receives the running command's signals; locked only to set or read it.
  private static let ofCommand = Mutex<StopSignals?>(nil)

  /// Makes this object receive the signals of the process.
  func start() {
    Self.ofCommand.withLock { $0 = self }
  }

  /// The signal that requested the end, or nil.
  var received: Int32? { state.withLock { $0.first } }

  /// Adds a function to call before a second signal ends the process.
  func beforeExit(_ act: @escaping @Sendable () -> Void) {
    state.withLock { $0.lastActs.append(act) }
  }

  /// Calls the functions of `beforeExit`.
  func callLastActs() {
    for act in state.withLock({ $0.lastActs }) { act() }
  }

  /// From now on, the first stop signal asks the command to finish instead of ending the process.
  func begin() {
    state.withLock { $0.canFinish = true }
  }

  /// Runs `body`; on a signal, calls `finish`, which must make `body` end.
  ///
  /// A signal before this call ends the process, because there is nothing to finish yet. Call this
  /// method only once.
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
  /// Call this method only once.
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

  /// Receives the signals of the process on this thread.
  static func receiveForever() -> Never {
    var signals = stopSignals()
    while true {
      var signal: Int32 = 0
      guard sigwait(&signals, &signal) == 0 else { continue }
      let command = ofCommand.withLock { $0 }
      guard endsProcess(signal, command) else { continue }
      command?.callLastActs()
      _exit(status(signal))
    }
  }

  /// Returns whether a signal ends the process.
  ///
  /// While a command runs, a signal ends the process if the command does not accept it. Before a
  /// command runs, every signal ends the process except SIGUSR1 and SIGUSR2, which the command may
  /// accept.
  static func endsProcess(_ signal: Int32, _ command: StopSignals?) -> Bool {
    guard let command else { return ![SIGUSR1, SIGUSR2].contains(signal) }
    return !command.receive(signal)
  }

  /// Passes a signal on to the command; returns false if the signal must end the process.
  ///
  /// A stop signal must end the process after an earlier stop signal, or if there is no work to
  /// finish. SIGUSR1 and SIGUSR2 must end it unless the command accepts them.
  func receive(_ signal: Int32) -> Bool {
    if [SIGUSR1, SIGUSR2].contains(signal) {
      if takesCommands { command.yield(signal) }
      return takesCommands
    }
    let isFirst = state.withLock { state in
      guard state.canFinish, state.first == nil else { return false }
      state.first = signal
      return true
    }
    guard isFirst else { return false }
    stopSignal?.signal()
    stop.yield()
    return true
  }

  /// Returns the status that shells report for a process ended by a signal: 130 for SIGINT, 143 for
  /// SIGTERM.
  static func status(_ signal: Int32) -> Int32 { 128 + signal }

  private static func stopSignals() -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGINT)
    sigaddset(&signals, SIGTERM)
    sigaddset(&signals, SIGUSR1)
    sigaddset(&signals, SIGUSR2)
    var hangUp = sigaction()
    sigaction(SIGHUP, nil, &hangUp)
    // SIG_IGN is the C macro `(void (*)(int)) 1`, which Swift does not import.
    if unsafeBitCast(hangUp.__sigaction_handler.sa_handler, to: Int.self) != 1 {
      sigaddset(&signals, SIGHUP)
    }
    return signals
  }
}
