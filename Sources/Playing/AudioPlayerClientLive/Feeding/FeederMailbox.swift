import AudioPlayerClient
import AudioThreads
import Synchronization

/// The commands that a feeder has not handled yet.
///
/// It is not a `StreamPipe`, because the feeder never waits for a request. It checks for
/// requests between blocks, and a request interrupts its other waits.
final class FeederMailbox: Sendable {
  /// A command that changes what is read, and its answer: the serial number of the voice
  /// parameters that put the command into effect, or nil if it is in effect already.
  typealias Request = (command: PlaybackCommand, answer: Promise<Int?>)

  // A struct, because each use of the mutex would wrap closures in a tuple once more.
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

  /// Sends a command and returns the answer; a canceled task stops waiting.
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

  /// Refuses all unanswered requests, now and later.
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
