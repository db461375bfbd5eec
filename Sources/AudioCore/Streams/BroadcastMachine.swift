/// The state of a broadcast, without tasks or locks: every step returns what is to be done.
struct BroadcastMachine<Failure: Error> {
  enum Action {
    case startSource
    /// The source may give its next buffer.
    case resumeSource
    /// There are no consumers any more, and there will be none.
    case stopSource
    case deliver(BroadcastAudio, to: Int)
    case end(Int, Failure?)
  }

  private enum Source {
    case untouched
    case giving
    case waiting
    case over(Failure?)
  }

  private struct Consumer {
    var queue: BroadcastQueue
    var isAwaiting = false
    var hasSeenEnd = false
  }

  private var source = Source.untouched
  private var consumers: [Int: Consumer] = [:]
  private var joined = 0
  private var isOpen = true

  /// Whether the source has ended, or nobody will listen again.
  var isOver: Bool {
    if case .over = source { true } else { false }
  }

  /// The most frames that wait for one consumer.
  var heldFrames: FrameCount { consumers.values.map(\.queue.frameCount).max() ?? 0 }

  /// Adds a consumer, which gets what the source gives from now on.
  mutating func join(_ policy: BroadcastPolicy) -> Int {
    joined += 1
    consumers[joined] = Consumer(queue: BroadcastQueue(policy: policy))
    return joined
  }

  mutating func demand(by id: Int) -> [Action] {
    guard let consumer = consumers[id] else { return [.end(id, nil)] }
    if let next = consumers[id]?.queue.next() { return [.deliver(next, to: id)] + resumption() }
    if case .over(let failure) = source {
      consumers[id]?.hasSeenEnd = true
      return [.end(id, consumer.hasSeenEnd ? nil : failure)]
    }
    consumers[id]?.isAwaiting = true
    guard case .untouched = source else { return resumption() }
    source = .giving
    return [.startSource]
  }

  /// The source asks whether it may give its next buffer.
  mutating func sourceIsReady() -> [Action] {
    guard !isOver else { return [.stopSource] }
    source = .waiting
    return resumption()
  }

  mutating func send(_ buffer: AudioBuffer) -> [Action] {
    var actions: [Action] = []
    for id in consumers.keys.sorted() {
      if consumers[id]?.isAwaiting == true {
        consumers[id]?.isAwaiting = false
        actions.append(.deliver(BroadcastAudio(buffer), to: id))
      } else {
        consumers[id]?.queue.append(buffer)
      }
    }
    return actions
  }

  mutating func finish(_ failure: Failure?) -> [Action] {
    guard !isOver else { return [] }
    source = .over(failure)
    let awaiting = consumers.keys.sorted().filter { consumers[$0]?.isAwaiting == true }
    for id in awaiting {
      consumers[id]?.isAwaiting = false
      consumers[id]?.hasSeenEnd = true
    }
    return awaiting.map { .end($0, failure) }
  }

  /// A consumer is cancelled or gone.
  mutating func leave(_ id: Int) -> [Action] {
    guard let consumer = consumers.removeValue(forKey: id) else { return [] }
    return (consumer.isAwaiting ? [.end(id, nil)] : []) + (abandonment() ?? resumption())
  }

  /// Lets no more consumers join.
  mutating func close() -> [Action] {
    isOpen = false
    return abandonment() ?? []
  }

  private mutating func resumption() -> [Action] {
    guard case .waiting = source, !consumers.isEmpty,
      consumers.values.allSatisfy(\.queue.hasRoom)
    else { return [] }
    source = .giving
    return [.resumeSource]
  }

  private mutating func abandonment() -> [Action]? {
    guard !isOpen, consumers.isEmpty else { return nil }
    guard !isOver else { return [] }
    source = .over(nil)
    return [.stopSource]
  }
}
