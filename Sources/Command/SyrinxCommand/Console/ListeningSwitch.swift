import Glibc
import SpeechClient
import Synchronization

/// The switch of `syrinx listen --toggle`, which keys and signals operate.
final class ListeningSwitch: Sendable {
  private let speech: SpeechClient
  private let console: Console
  // `startCount` is the number of times that listening was switched on. The lock is held to change
  // or read the state.
  private let state = Mutex((isOn: false, startCount: 0))
  private let starts: AsyncStream<Void>
  private let start: AsyncStream<Void>.Continuation

  /// Creates a switch that is off.
  init(speech: SpeechClient, console: Console) {
    (self.speech, self.console) = (speech, console)
    (starts, start) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  var isOn: Bool { state.withLock(\.isOn) }

  /// Ends the waiting for the next start.
  func finish() {
    start.finish()
  }

  /// Switches listening on if it is off, and off otherwise.
  func toggle() async {
    let isOn = state.withLock { state in
      state.isOn.toggle()
      if state.isOn { state.startCount += 1 }
      return state.isOn
    }
    if isOn { start.yield() } else { await speech.finishTask() }
  }

  /// Runs `session` each time that listening is switched on, until `finish`.
  func forEachStart(_ session: () async throws -> Void) async throws {
    await console.notify(
      "listening is off; SIGUSR1 to process \(getpid()), or the space key, switches it on")
    for await _ in starts {
      let (isOn, count) = state.withLock { ($0.isOn, $0.startCount) }
      guard isOn else { continue }
      await console.notify("listening is on")
      try await session()
      // A session may end by itself. If listening was switched on again meanwhile, it stays on.
      state.withLock { if $0.startCount == count { $0.isOn = false } }
      await console.clearStatus()
      await console.notify("listening is off")
    }
  }

  /// Follows the signals: SIGUSR1 switches listening on and off, SIGUSR2 only off.
  func follow(_ signals: AsyncStream<Int32>) async {
    for await signal in signals where signal == SIGUSR1 || isOn { await toggle() }
  }

  /// Runs `body` and follows the keys of the terminal, if there is one and the output is not JSON.
  func followingKeys(
    isJSON: Bool, in context: CommandContext, _ body: () async throws -> Void
  ) async throws {
    guard !isJSON, let terminal = KeyTerminal() else { return try await body() }
    defer { terminal.restore() }
    context.signals.beforeExit { terminal.restore() }
    let keys = try terminal.keys()
    let following = Task {
      for await key in keys {
        if key == .pause { await toggle() }
        guard key == .quit else { continue }
        finish()
        await speech.finishTask()
      }
    }
    defer { following.cancel() }
    try await body()
  }
}
