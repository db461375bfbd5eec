import AudioPlayerClient
import AudioThreads
import Synchronization

/// The commands that a feeder has not handled yet.
///
/// The feeder never waits only for requests, so a `StreamPipe` would not fit. The feeder
/// checks for requests between blocks, and a request interrupts its other waits.
final class FeederMailbox: Sendable {
  /// A command that changes what the feeder reads, and the feeder's answer.
  ///
  /// The answer is the serial number of the voice parameters that will put the command into effect;
  /// nil if the command is in effect already.
  typealias Request = (command: PlaybackCommand, answer: Promise<Int?>)

  // This is not a tuple, because each access through the mutex would wrap the closures of a tuple
  // once more.
  private struct State {
    var requests: [Request] = []
    /// The request being handled; the feeder may be blocked in it.
    var current: Request?
    var isClosed = false
    var onRequest: (@Sendable () -> Void)?
    var interruption: (@Sendable () -> Void)?
  }

  private let id: PlaybackID
  // The lock is held for a few instructions; callbacks and waiting callers run after its release.
  private let state = Mutex(State())

  init(_ id: PlaybackID) {
    self.id = id
  }

  /// Sends a command and returns the feeder's answer; cancellation ends the wait.
  ///
  /// Throws `unknownPlayback` after the playback has ended.
  func send(_ command: PlaybackCommand) async throws -> Int? {
    let request = (command: command, answer: Promise<Int?>())
    let (isClosed, onRequest, interruption) = state.withLock { state in
      if !state.isClosed { state.requests.append(request) }
      return (state.isClosed, state.onRequest, state.interruption)
    }
    if isClosed { refuse(request) }
    onRequest?()
    interruption?()
    return try await request.answer.value()
  }

  /// Returns the next request, or nil if there is none.
  func next() -> Request? {
    state.withLock { state in
      state.current = state.requests.isEmpty ? nil : state.requests.removeFirst()
      return state.current
    }
  }

  /// Answers a request with the error that the playback has ended.
  func refuse(_ request: Request) {
    request.answer.resolve(.failure(AudioPlayerError.unknownPlayback(id)))
  }

  /// Sets the callback for each request that arrives from now on.
  func onRequest(_ callback: @escaping @Sendable () -> Void) {
    state.withLock { $0.onRequest = callback }
  }

  /// Sets a second callback for requests, and calls it at once if a request is already waiting.
  func interrupt(_ interruption: (@Sendable () -> Void)?) {
    let hasRequest = state.withLock { state in
      state.interruption = interruption
      return !state.requests.isEmpty
    }
    if hasRequest { interruption?() }
  }

  /// Refuses all unanswered requests and all later requests.
  func close() {
    let requests = state.withLock { state in
      state.isClosed = true
      state.onRequest = nil
      defer { (state.requests, state.current) = ([], nil) }
      return state.requests + (state.current.map { [$0] } ?? [])
    }
    for request in requests { refuse(request) }
  }
}
