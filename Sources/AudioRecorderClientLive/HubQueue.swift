import AudioCore
import AudioThreads
import Synchronization

/// The blocks on their way to a consumer with a thread of its own; the one who gives waits for room
/// and never throws anything away.
final class HubQueue: Sendable {
  /// How long a disk may take a rest before the others have to wait for it.
  static let depth = Duration.seconds(16)

  fileprivate enum End {
    case open
    /// Nothing follows what is there.
    case finished(Result<Void, any Error>)
    /// The consumer wants no more.
    case refused
  }

  private struct State {
    var blocks: [DeviceAudio] = []
    var waiting = Duration.zero
    var end = End.open
    var isReleased = false
  }

  private enum Step<Value> {
    case done(Value)
    case wait
  }

  // Held for a few instructions by the two threads.
  private let state = Mutex(State())
  private let news: WakeUp
  private let room: WakeUp

  init() throws(WakeUpError) {
    news = try WakeUp()
    room = try WakeUp()
  }

  /// Whether the consumer wants no more.
  var isRefused: Bool { state.withLock { $0.end.isRefused } }

  /// Gives a block as soon as there is room for it; false where the consumer wants no more.
  func push(_ block: DeviceAudio) -> Bool {
    let isTaken = step(waitingFor: room) { state in
      if state.end.isRefused { return .done(false) }
      guard state.waiting < Self.depth else { return .wait }
      state.blocks.append(block)
      state.waiting += block.buffer.duration
      return .done(true)
    }
    news.signal()
    return isTaken
  }

  /// Nothing follows, and this is why; a consumer that wanted no more is released.
  func finish(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      state.isReleased = state.end.isRefused
      if !state.isReleased { state.end = .finished(outcome) }
    }
    news.signal()
  }

  /// The next block as soon as there is one, or why none follows.
  func pop() -> Result<DeviceAudio, HubQueueEnd> {
    defer { room.signal() }
    return step(waitingFor: news) { state in
      if !state.blocks.isEmpty {
        let block = state.blocks.removeFirst()
        state.waiting -= block.buffer.duration
        return .done(.success(block))
      }
      guard case .finished(let outcome) = state.end else { return .wait }
      return .done(.failure(HubQueueEnd(outcome: outcome)))
    }
  }

  /// The consumer wants no more.
  func refuse() {
    state.withLock { state in
      // Who gives and is done has nothing more to learn.
      if case .finished = state.end { state.isReleased = true }
      state.end = .refused
      state.blocks = []
    }
    room.signal()
  }

  /// Returns when the one who gives knows that the consumer wants no more.
  func waitForRelease() {
    step(waitingFor: news) { $0.isReleased ? .done(()) : .wait }
  }

  private func step<Value: Sendable>(
    waitingFor wakeUp: WakeUp, _ body: (inout State) -> Step<Value>
  ) -> Value {
    while true {
      switch state.withLock({ body(&$0) }) {
      case .done(let value): return value
      case .wait: wakeUp.wait()
      }
    }
  }
}

/// The end of a queue: how the capture ended.
struct HubQueueEnd: Error {
  let outcome: Result<Void, any Error>
}

extension HubQueue.End {
  fileprivate var isRefused: Bool {
    if case .refused = self { true } else { false }
  }
}
