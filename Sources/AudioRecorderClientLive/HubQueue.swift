import AudioCore
import AudioThreads
import Synchronization

/// The blocks on their way to a consumer with a thread of its own.
///
/// The one who gives waits a while for room; then it throws away what finds none, so that a disk
/// that hangs, or is too slow for what it gets, costs nobody else a frame. The block after that
/// says how much was lost.
final class HubQueue: Sendable {
  /// How long a disk may take a rest before the others have to wait for it.
  static let depth = Duration.seconds(16)
  /// How long the others wait then, all in all until it has caught up by half: the ring behind
  /// them holds much more.
  static let patience = Duration.seconds(2)

  fileprivate enum End {
    case open
    /// Nothing follows what is there.
    case finished(Result<Void, any Error>)
    /// The consumer wants no more.
    case refused
  }

  fileprivate struct State {
    /// How much waits at most.
    let depth: Duration
    var blocks: [DeviceAudio] = []
    var waiting = Duration.zero
    /// How long it may be waited for, before and now.
    let patience: Duration
    var patienceLeft: Duration
    /// What was thrown away since the last block: no frames, and how many were lost before them.
    var missing: DeviceAudio?
    var end = End.open
    var isReleased = false

    init(depth: Duration, patience: Duration) {
      (self.depth, self.patience, patienceLeft) = (depth, patience, patience)
    }
  }

  fileprivate enum Step<Value> {
    case done(Value)
    case wait
  }

  // Held for a few instructions by the two threads.
  private let state: Mutex<State>
  private let news: WakeUp
  private let room: WakeUp
  private let wait: Wait

  /// Waits for a signal, at most so long; returns how long that was.
  typealias Wait = @Sendable (WakeUp, _ atMost: Duration) -> Duration

  init(
    depth: Duration = HubQueue.depth, patience: Duration = HubQueue.patience,
    wait: @escaping Wait = { room, limit in
      let before = ContinuousClock.now
      room.wait(atMost: limit)
      return before.duration(to: .now)
    }
  ) throws(WakeUpError) {
    self.wait = wait
    state = Mutex(State(depth: depth, patience: patience))
    news = try WakeUp()
    room = try WakeUp()
  }

  /// Whether the consumer wants no more.
  var isRefused: Bool { state.withLock { $0.end.isRefused } }

  /// Gives a block when there is room for it, or throws it away; false where the consumer wants no
  /// more.
  func push(_ block: DeviceAudio) -> Bool {
    defer { news.signal() }
    while true {
      if let isTaken = state.withLock({ $0.take(block) }) { return isTaken }
      let waited = wait(room, state.withLock { $0.patienceLeft })
      state.withLock { $0.patienceLeft -= waited }
    }
  }

  /// Nothing follows, and this is why; a consumer that wanted no more is released.
  func finish(_ outcome: Result<Void, any Error>) {
    state.withLock { state in
      state.isReleased = state.end.isRefused
      guard !state.isReleased else { return }
      if let missing = state.missing.take() { state.blocks.append(missing) }
      state.end = .finished(outcome)
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
        if state.waiting <= state.depth / 2 { state.patienceLeft = state.patience }
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

extension HubQueue.State {
  /// Nil where room is to be waited for; a disk that has used up the others' patience gets no more
  /// of it before it has caught up.
  fileprivate mutating func take(_ block: DeviceAudio) -> Bool? {
    if end.isRefused { return false }
    if block.news != nil {
      // News takes no room, and none of it is thrown away.
      blocks += [missing.take(), block].compactMap(\.self)
      return true
    }
    let hasRoom = waiting < depth
    guard hasRoom || patienceLeft <= .zero else { return nil }
    var block = block
    block.lost += missing?.lost ?? 0
    if hasRoom {
      missing = nil
      blocks.append(block)
      waiting += block.buffer.duration
    } else {
      missing = block.asLost
    }
    return true
  }
}

extension DeviceAudio {
  /// The end of the block, where all of it was lost.
  fileprivate var asLost: DeviceAudio {
    let none = AudioBuffer(silence: 0, format: buffer.format, firstFrame: buffer.endFrame)
    return DeviceAudio(buffer: none, time: time, lost: lost + buffer.frameCount)
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
