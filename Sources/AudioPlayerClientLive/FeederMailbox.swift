import AudioPlayerClient
import AudioThreads
import Synchronization

/// What a feeder is asked to do, and how it answers: with the serial number of the wishes that
/// bring it about, or nil where it is done.
struct FeederRequest: Sendable {
  enum Deed: Sendable {
    case seek(PlaybackTime, item: Int?)
    case skip
    case enqueue([PlaybackItem])
  }

  let deed: Deed
  let answer = FirstAnswer<Int?>()
}

/// The requests that a feeder has not looked at yet.
final class FeederMailbox: Sendable {
  private struct State {
    var requests: [FeederRequest] = []
    /// The one that the feeder has taken last; it may be held up in doing it.
    var taken: FeederRequest?
    var isClosed = false
    var bell: (@Sendable () -> Void)?
    var interruption: (@Sendable () -> Void)?
  }

  private let id: PlaybackID
  // Held for a few instructions; whoever waits is woken after it is released.
  private let state = Mutex(State())

  init(_ id: PlaybackID) {
    self.id = id
  }

  /// Asks for something and returns the answer; a cancelled task stops waiting for it.
  ///
  /// Throws `unknownPlayback` where there is nobody to ask any more.
  func ask(_ deed: FeederRequest.Deed) async throws -> Int? {
    let request = FeederRequest(deed: deed)
    let (isClosed, bell, interruption) = state.withLock { state in
      if !state.isClosed { state.requests.append(request) }
      return (state.isClosed, state.bell, state.interruption)
    }
    if isClosed { refuse(request) }
    bell?()
    interruption?()
    return try await request.answer.value()
  }

  /// The next request, nil where there is none.
  func next() -> FeederRequest? {
    state.withLock { state in
      state.taken = state.requests.isEmpty ? nil : state.requests.removeFirst()
      return state.taken
    }
  }

  /// Says that there is no playback any more.
  func refuse(_ request: FeederRequest) {
    request.answer.give(.failure(AudioPlayerError.unknownPlayback(id)))
  }

  /// Sets what is called for each request that arrives from now on.
  func ring(_ bell: @escaping @Sendable () -> Void) {
    state.withLock { $0.bell = bell }
  }

  /// Sets what else is called when a request arrives, at once where there is one.
  func interrupt(_ interruption: (@Sendable () -> Void)?) {
    let isWaiting = state.withLock { state in
      state.interruption = interruption
      return !state.requests.isEmpty
    }
    if isWaiting { interruption?() }
  }

  /// Answers no request any more, and refuses those that have no answer.
  func close() {
    let requests = state.withLock { state in
      state.isClosed = true
      state.bell = nil
      defer { (state.requests, state.taken) = ([], nil) }
      return state.requests + (state.taken.map { [$0] } ?? [])
    }
    for request in requests { refuse(request) }
  }
}
