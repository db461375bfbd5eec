import AudioRecorderClient
import Glibc
import SpeechClient
import Synchronization

/// The switch of `syrinx listen --toggle`, which keys and signals operate.
///
/// The microphone opens as soon as listening is switched on, even if earlier speech is still being
/// recognized. Results arrive in the order of the sessions.
final class ListeningSwitch: Sendable {
  typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>
  /// Begins a session; calls `whenOpen` when its microphone is open.
  typealias Begin =
    @Sendable (_ session: RecordingID, _ whenOpen: @escaping @Sendable () async -> Void) async ->
    Events

  private let console: Console
  private let begin: Begin
  private let end: @Sendable (RecordingID) async -> Void
  // The lock is held to change or read the state.
  private let state = Mutex(ListeningState())
  private let sessions: AsyncStream<(id: RecordingID, events: Events)>
  private let session: AsyncStream<(id: RecordingID, events: Events)>.Continuation

  /// Creates a switch that is off; `end` closes the microphone of a session.
  init(
    console: Console, begin: @escaping Begin, end: @escaping @Sendable (RecordingID) async -> Void
  ) {
    (self.console, self.begin, self.end) = (console, begin, end)
    (sessions, session) = AsyncStream.makeStream()
  }

  /// Ends `forEachSession` after the sessions that have begun; listening stays off.
  func finish() {
    state.withLock { $0.finish() }
    session.finish()
  }

  /// Switches listening on or off as `change` requires; returns before the speech is recognized.
  func set(_ change: (_ isOn: Bool) -> Bool) async {
    switch state.withLock({ $0.set(change, next: RecordingID()) }) {
    case .begin(let id):
      let events = await begin(id) { [weak self] in await self?.opened(id) }
      session.yield((id, events))
    case .end(let id): await end(id)
    case .refuse:
      await console.notify("listening stays off until earlier speech is recognized")
    case nil: return
    }
  }

  /// Announces an open microphone; closes it if listening was switched off meanwhile.
  private func opened(_ id: RecordingID) async {
    guard state.withLock({ $0.session == id }) else { return await end(id) }
    await console.notify("listening is on")
  }

  /// Calls `follow` with the events of each session, until `finish`.
  ///
  /// After the failure of a session, `whenFailed` is called, and listening can be switched on again.
  /// The failure of an output is thrown.
  ///
  /// - Returns: whether no session failed.
  func forEachSession(
    _ follow: (Events) async throws -> Void, whenFailed: (any Error) async throws -> Void
  ) async throws -> Bool {
    await console.notify(
      "listening is off; SIGUSR1 to process \(getpid()), or the space key, switches it on")
    var isComplete = true
    for await (id, events) in sessions {
      do {
        try await follow(events)
      } catch {
        if error is OutputError { throw error }
        isComplete = false
        try await whenFailed(error)
      }
      await console.clearStatus()
      if state.withLock({ $0.over(id) }) { await console.notify("listening is off") }
    }
    return isComplete
  }

  /// Follows the signals: SIGUSR1 switches listening on and off, SIGUSR2 only off.
  func follow(_ signals: AsyncStream<Int32>) async {
    for await signal in signals { await set { signal == SIGUSR1 && !$0 } }
  }

  /// Runs `body` and follows the keys of the terminal, if there is one and the output is not JSON;
  /// the key q calls `quit`.
  func followingKeys<Result>(
    isJSON: Bool, in context: CommandContext, quit: @escaping @Sendable () async -> Void,
    _ body: () async throws -> Result
  ) async throws -> Result {
    guard !isJSON, let terminal = KeyTerminal() else { return try await body() }
    defer { terminal.restore() }
    context.signals.beforeExit { terminal.restore() }
    let keys = try terminal.keys()
    let following = Task {
      for await key in keys {
        if key == .pause { await set { !$0 } }
        if key == .quit { await quit() }
      }
    }
    defer { following.cancel() }
    return try await body()
  }
}

/// The state of a listening switch, and the action that each change requires.
struct ListeningState {
  /// The maximum number of sessions that listen or are still being recognized; each has a decoder.
  static let sessionLimit = 3

  /// What the switch must do.
  enum Action: Equatable {
    /// Open the microphone for a session.
    case begin(RecordingID)
    /// Close the microphone of a session.
    case end(RecordingID)
    /// Report that too many sessions are still being recognized.
    case refuse
  }

  /// The session that listens; nil while listening is off.
  private(set) var session: RecordingID?
  private var isFinished = false
  private var sessionCount = 0

  /// Switches listening on or off; `next` is the ID of a new session.
  ///
  /// - Returns: nil if nothing changes, and after `finish`.
  mutating func set(_ change: (_ isOn: Bool) -> Bool, next: RecordingID) -> Action? {
    let isOn = change(session != nil)
    guard !isFinished, isOn != (session != nil) else { return nil }
    if let last = session.take() { return .end(last) }
    guard sessionCount < Self.sessionLimit else { return .refuse }
    sessionCount += 1
    session = next
    return .begin(next)
  }

  /// Switches listening off; later changes have no effect.
  mutating func finish() {
    (session, isFinished) = (nil, true)
  }

  /// Notes that a session is recognized; returns whether listening is now off.
  ///
  /// A session may end by itself, which switches listening off, unless a later session listens.
  mutating func over(_ id: RecordingID) -> Bool {
    sessionCount -= 1
    if session == id { session = nil }
    return session == nil
  }
}
