import Synchronization

/// What lies between the ends of a pipe, without tasks or locks: its buffering policy.
package protocol PipeQueue: Sendable {
  associatedtype Element: Sendable
  associatedtype Failure: Error

  /// Whether the producer may go on; a closed queue always has room.
  var hasRoom: Bool { get }
  /// Whether the queue takes no more elements.
  var isClosed: Bool { get }
  /// Whether all readers left before the end.
  var isAbandoned: Bool { get }

  /// Takes out the next element for a reader.
  mutating func next(for reader: Int) -> PipeStep<Element, Failure>
  /// Notes that a reader left; its elements are dropped.
  mutating func abandon(by reader: Int)
  /// Called after each change, when waiting readers have their elements.
  mutating func settle()
}

extension PipeQueue {
  package mutating func next() -> PipeStep<Element, Failure> { next(for: 0) }
  package mutating func abandon() { abandon(by: 0) }
  package mutating func settle() {}
}

/// What a reader gets from a pipe.
package enum PipeStep<Element, Failure: Error> {
  case element(Element)
  case end(Failure?)
  /// No element yet.
  case wait
}

/// Hands elements from a producer to readers; each end may wait for the other.
///
/// The queue decides how many elements wait, and which ones give way to a new one.
///
/// Thread safety: any thread may change the queue, but not the audio thread, because it allocates.
/// A reader is one task at a time.
package final class StreamPipe<Queue: PipeQueue>: Sendable {
  fileprivate typealias Answer = Result<Queue.Element?, Queue.Failure>

  private struct State {
    var queue: Queue
    var readers: [Int: CheckedContinuation<Answer, Never>] = [:]
    var producer: CheckedContinuation<Bool, Never>?
    var whenAbandoned: (@Sendable () -> Void)?
  }

  // Held for one change of the queue; continuations and handlers run after it is released.
  private let state: Mutex<State>

  package init(_ queue: Queue) {
    state = Mutex(State(queue: queue))
  }

  /// Whether a reader waits for an element.
  package var isAwaited: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Whether the producer waits for room.
  var isProducerWaiting: Bool { state.withLock { $0.producer != nil } }

  /// What the queue says of itself.
  package func look<Value: Sendable>(_ body: (Queue) -> Value) -> Value {
    state.withLock { body($0.queue) }
  }

  /// Changes the queue, and resumes the readers and the producer that can go on then.
  @discardableResult
  package func change<Value: Sendable>(_ body: (inout Queue) -> Value) -> Value {
    perform { body(&$0.queue) }
  }

  /// Waits until the queue has room; false where no more elements are wanted.
  package func room() async -> Bool {
    await withCheckedContinuation { producer in
      perform { $0.producer = producer }
    }
  }

  /// The next element for a reader, nil after the end; a reader that is cancelled leaves.
  package func next(
    for reader: Int = 0, isolation actor: isolated (any Actor)? = #isolation
  ) async throws(Queue.Failure) -> Queue.Element? {
    let answer: Answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform { state in
          // A reader is one task; an earlier one that still waits gets the end.
          state.readers.updateValue(continuation, forKey: reader)?.resume(returning: .success(nil))
        }
      }
    } onCancel: {
      change { $0.abandon(by: reader) }
    }
    return try answer.get()
  }

  /// Sets what is called once when the readers leave before the end; at once if they have left.
  package func onTermination(_ handler: @escaping @Sendable () -> Void) {
    perform { $0.whenAbandoned = handler }
  }

  private func perform<Value: Sendable>(_ step: (inout State) -> Value) -> Value {
    let (value, wakeUps) = state.withLock { state in
      (step(&state), Self.wakeUps(of: &state))
    }
    for wakeUp in wakeUps { wakeUp() }
    return value
  }

  /// What is done when the lock is released.
  private static func wakeUps(of state: inout State) -> [@Sendable () -> Void] {
    var wakeUps: [@Sendable () -> Void] = []
    for id in state.readers.keys.sorted() {
      guard let answer = answer(state.queue.next(for: id)),
        let reader = state.readers.removeValue(forKey: id)
      else { continue }
      wakeUps.append { reader.resume(returning: answer) }
    }
    if state.queue.hasRoom, let producer = state.producer.take() {
      wakeUps.append { [isWanted = !state.queue.isClosed] in producer.resume(returning: isWanted) }
    }
    // A handler that is not called either is released after the lock: what it holds may use the pipe.
    if state.queue.isClosed, let handler = state.whenAbandoned.take() {
      wakeUps.append { [isAbandoned = state.queue.isAbandoned] in if isAbandoned { handler() } }
    }
    state.queue.settle()
    return wakeUps
  }

  private static func answer(_ step: PipeStep<Queue.Element, Queue.Failure>) -> Answer? {
    switch step {
    case .wait: nil
    case .element(let element): .success(element)
    case .end(nil): .success(nil)
    case .end(let failure?): .failure(failure)
    }
  }
}

extension StreamPipe where Queue.Failure == any Error {
  /// The elements for the only reader.
  package func stream() -> AsyncThrowingStream<Queue.Element, any Error> {
    stream { $0 }
  }

  /// The elements for the only reader, without those for which `value` gives nil.
  package func stream<Value>(
    of value: @escaping @Sendable (Queue.Element) -> Value?
  ) -> AsyncThrowingStream<Value, any Error> {
    let reader = PipeReader(pipe: self)
    return AsyncThrowingStream {
      while let element = try await reader.next() {
        if let value = value(element) { return value }
      }
      return nil
    }
  }
}

/// A reader of a pipe; it leaves when the last reference to it is gone.
final class PipeReader<Queue: PipeQueue>: Sendable {
  let pipe: StreamPipe<Queue>
  let id: Int

  init(pipe: StreamPipe<Queue>, id: Int = 0) {
    (self.pipe, self.id) = (pipe, id)
  }

  /// A reader that joins now.
  convenience init(pipe: StreamPipe<Queue>, joining join: (inout Queue) -> Int) {
    self.init(pipe: pipe, id: pipe.change(join))
  }

  deinit {
    pipe.change { [id] in $0.abandon(by: id) }
  }

  func next(
    isolation actor: isolated (any Actor)? = #isolation
  ) async throws(Queue.Failure) -> Queue.Element? {
    try await pipe.next(for: id, isolation: actor)
  }
}
