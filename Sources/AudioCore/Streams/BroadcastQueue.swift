/// The waiting buffers of a broadcast's consumers.
struct BroadcastQueue<Failure: Error>: PipeQueue {
  private struct Consumer {
    var buffers: ConsumerBuffers
    var hasSeenEnd = false
  }

  private enum End {
    case open
    case finished(Failure?)
    /// There are no consumers, and none will join.
    case abandoned
  }

  private var end = End.open
  private var consumers: [Int: Consumer] = [:]
  private var lastID = 0
  private var isAskedFor = false
  private var allowsJoining = true

  var isClosed: Bool { if case .open = end { false } else { true } }
  var isAbandoned: Bool { if case .abandoned = end { true } else { false } }

  /// Whether the source may send its next buffer.
  ///
  /// It starts with the first request, and waits without consumers or for a `.waiting` consumer.
  var hasRoom: Bool {
    isClosed || isAskedFor && !consumers.isEmpty && consumers.values.allSatisfy(\.buffers.hasRoom)
  }

  /// The maximum number of frames that wait for one consumer.
  var heldFrames: FrameCount { consumers.values.map(\.buffers.frameCount).max() ?? 0 }

  /// Adds a consumer, which receives the buffers from now on.
  mutating func join(_ policy: BroadcastPolicy) -> Int {
    lastID += 1
    consumers[lastID] = Consumer(buffers: ConsumerBuffers(policy: policy))
    return lastID
  }

  mutating func send(_ buffer: AudioBuffer) {
    for id in consumers.keys { consumers[id]?.buffers.append(buffer) }
  }

  /// Ends the broadcast after the waiting buffers; later ends are ignored.
  mutating func finish(_ failure: Failure?) {
    if !isClosed { end = .finished(failure) }
  }

  mutating func next(for id: Int) -> PipeStep<BroadcastAudio, Failure> {
    guard let consumer = consumers[id] else { return .end(nil) }
    isAskedFor = true
    if let audio = consumers[id]?.buffers.next() { return .element(audio) }
    switch end {
    case .open: return .wait
    case .abandoned: return .end(nil)
    case .finished(let failure):
      consumers[id]?.hasSeenEnd = true
      return .end(consumer.hasSeenEnd ? nil : failure)
    }
  }

  mutating func abandon(by id: Int) {
    consumers[id] = nil
    abandonIfDeserted()
  }

  /// Prevents further consumers from joining.
  mutating func close() {
    allowsJoining = false
    abandonIfDeserted()
  }

  private mutating func abandonIfDeserted() {
    if !isClosed, !allowsJoining, consumers.isEmpty { end = .abandoned }
  }
}

/// The waiting buffers of one consumer.
struct ConsumerBuffers {
  private(set) var frameCount: FrameCount = 0
  private let policy: BroadcastPolicy
  private var waiting: [BroadcastAudio] = []

  init(policy: BroadcastPolicy) {
    self.policy = policy
  }

  /// Whether the source may send another buffer.
  var hasRoom: Bool { policy != .waiting || waiting.isEmpty }

  mutating func append(_ buffer: AudioBuffer) {
    waiting.append(BroadcastAudio(buffer))
    frameCount += buffer.frameCount
    guard case .droppingOldest(let limit) = policy, frameCount > limit else { return }
    for dropped in waiting.removeOldest(beyond: limit, by: \.buffer.frameCount) {
      frameCount -= dropped.buffer.frameCount
      waiting[0].lost += dropped.lost + dropped.buffer.frameCount
    }
  }

  mutating func next() -> BroadcastAudio? {
    guard !waiting.isEmpty else { return nil }
    let first = waiting.removeFirst()
    frameCount -= first.buffer.frameCount
    return first
  }
}
