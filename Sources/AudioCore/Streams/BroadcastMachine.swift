import Synchronization

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

  /// Whether the source has ended, or no consumer can join again.
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

/// Holds a broadcast's state and the tasks that wait, and performs the machine's actions.
final class BroadcastStorage<Failure: Error>: Sendable {
  typealias Machine = BroadcastMachine<Failure>
  typealias Answer = Result<BroadcastAudio?, Failure>
  typealias Waiting = CheckedContinuation<Answer, Never>

  private struct State {
    var machine = Machine()
    var consumers: [Int: Waiting] = [:]
    /// The source, while it waits to give its next buffer; false has it end.
    var source: CheckedContinuation<Bool, Never>?
    var task: Task<Void, Never>?
  }

  /// What is done after the lock is released.
  private enum Effect {
    case answer(Waiting?, Answer)
    case resume(CheckedContinuation<Bool, Never>?, Bool)
    case cancel(Task<Void, Never>?)
    case start
  }

  // Held for one step of the machine; tasks are resumed, started and cancelled after
  // it is released.
  private let state = Mutex(State())
  private let start: @Sendable (BroadcastStorage) -> Task<Void, Never>

  init(start: @escaping @Sendable (BroadcastStorage) -> Task<Void, Never>) {
    self.start = start
  }

  func join(_ policy: BroadcastPolicy) -> Int {
    state.withLock { $0.machine.join(policy) }
  }

  func leave(_ id: Int) { perform { $0.machine.leave(id) } }

  func close() { perform { $0.machine.close() } }

  func send(_ buffer: AudioBuffer) { perform { $0.machine.send(buffer) } }

  func finish(_ failure: Failure?) { perform { $0.machine.finish(failure) } }

  /// The next buffer for a consumer, nil after the end; a cancelled one leaves.
  func next(
    for id: Int, isolation actor: isolated (any Actor)?
  ) async throws(Failure) -> BroadcastAudio? {
    let answer: Answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform { state in
          // There is one request per consumer: an earlier one that still waits ends.
          state.consumers.updateValue(continuation, forKey: id)?.resume(returning: .success(nil))
          return state.machine.demand(by: id)
        }
      }
    } onCancel: {
      leave(id)
    }
    return try answer.get()
  }

  /// Returns when the source may give its next buffer; false when no consumer is left.
  func isWanted() async -> Bool {
    await withCheckedContinuation { continuation in
      perform { state in
        state.source = continuation
        return state.machine.sourceIsReady()
      }
    }
  }

  private func perform(_ step: (inout State) -> [Machine.Action]) {
    let effects = state.withLock { state in
      step(&state).flatMap { Self.effects(of: $0, in: &state) }
    }
    for effect in effects { carryOut(effect) }
  }

  private static func effects(of action: Machine.Action, in state: inout State) -> [Effect] {
    switch action {
    case .startSource: [.start]
    case .resumeSource: [.resume(state.source.take(), true)]
    case .stopSource: [.cancel(state.task.take()), .resume(state.source.take(), false)]
    case .deliver(let audio, let id):
      [.answer(state.consumers.removeValue(forKey: id), .success(audio))]
    case .end(let id, let failure):
      [
        .answer(
          state.consumers.removeValue(forKey: id),
          failure.map(Answer.failure) ?? .success(nil))
      ]
    }
  }

  private func carryOut(_ effect: Effect) {
    switch effect {
    case .answer(let consumer, let answer): consumer?.resume(returning: answer)
    case .resume(let source, let isWanted): source?.resume(returning: isWanted)
    case .cancel(let task): task?.cancel()
    case .start: begin()
    }
  }

  /// Starts the source; where all consumers left meanwhile, it ends at once.
  private func begin() {
    let task = start(self)
    let isOver = state.withLock { state in
      state.task = task
      return state.machine.isOver
    }
    if isOver { task.cancel() }
  }
}
