import Synchronization

/// The state of a pipe without tasks or locks: its elements and their buffering policy.
package protocol PipeQueue: Sendable {
  associatedtype Element: Sendable
  associatedtype Failure: Error

  /// Whether the producer may continue; a closed queue always has room.
  var hasRoom: Bool { get }
  /// Whether the queue accepts no more elements.
  var isClosed: Bool { get }
  /// Whether all readers left before the end.
  var isAbandoned: Bool { get }

  /// Removes and returns the next element for a reader.
  mutating func next(for reader: Int) -> PipeStep<Element, Failure>
  /// Removes a reader and its elements.
  mutating func abandon(by reader: Int)
  /// Updates the queue after a change, once waiting readers have received their elements; does
  /// nothing by default.
  mutating func settle()
}

extension PipeQueue {
  package mutating func next() -> PipeStep<Element, Failure> { next(for: 0) }
  package mutating func abandon() { abandon(by: 0) }
  package mutating func settle() {}
}

/// The result of a request to a pipe.
package enum PipeStep<Element, Failure: Error> {
  case element(Element)
  case end(Failure?)
  /// The queue has no element yet.
  case wait
}

/// Passes elements from producers to readers; each end may wait for the other.
///
/// The queue limits the number of waiting elements and selects the elements that a new element
/// replaces.
///
/// Thread safety: any thread may change the queue, except the audio thread, because changes
/// allocate. Only one task at a time may use a reader.
package final class StreamPipe<Queue: PipeQueue>: Sendable {
  fileprivate typealias Answer = Result<Queue.Element?, Queue.Failure>

  private struct State {
    var queue: Queue
    var readers: [Int: CheckedContinuation<Answer, Never>] = [:]
    var producers: [CheckedContinuation<Bool, Never>] = []
    var whenAbandoned: (@Sendable () -> Void)?
    /// Whether a canceled reader waits until the producer ends the stream.
    var awaitsEnd = false
    /// The canceled readers that wait for the end, each with its latest skipped element, which is
    /// returned at the end.
    var canceled: [Int: Queue.Element?] = [:]

    /// Removes a canceled reader, or lets it wait for the end; returns the handler to call.
    mutating func cancel(_ reader: Int) -> (@Sendable () -> Void)? {
      guard awaitsEnd else {
        queue.abandon(by: reader)
        return nil
      }
      canceled[reader] = .some(canceled[reader] ?? nil)
      return whenAbandoned.take()
    }

    /// Returns the next element for a reader; a canceled reader skips all elements except the last,
    /// which it gets at the end.
    mutating func next(for reader: Int) -> PipeStep<Queue.Element, Queue.Failure> {
      while true {
        let step = queue.next(for: reader)
        guard let skipped = canceled[reader] else { return step }
        switch step {
        case .element(let element): canceled[reader] = .some(element)
        case .end(nil):
          canceled[reader] = .some(nil)
          return skipped.map { .element($0) } ?? .end(nil)
        case .end, .wait: return step
        }
      }
    }
  }

  // The lock is held for one change of the queue. Continuations and handlers are called after its
  // release. `hold` is called under the lock, and may resume a test clock there.
  private let state: Mutex<State>
  /// Keeps a virtual sound card's clock from advancing while a reader processes an element; nil for
  /// hardware.
  private let hold: TimeHold?

  package init(_ queue: Queue, hold: TimeHold? = nil) {
    state = Mutex(State(queue: queue))
    self.hold = hold
  }

  /// Whether a reader waits for an element.
  package var isAwaited: Bool { state.withLock { !$0.readers.isEmpty } }

  /// Whether a producer waits for room.
  var isProducerWaiting: Bool { state.withLock { !$0.producers.isEmpty } }

  /// Lets a virtual card's test clock advance while the reader waits for something else.
  package func releaseTime() { hold?.end() }

  /// Returns a value computed from the queue.
  package func inspect<Value: Sendable>(_ body: (Queue) -> Value) -> Value {
    state.withLock { body($0.queue) }
  }

  /// Changes the queue, and resumes the readers and the producers that can continue.
  @discardableResult
  package func change<Value: Sendable>(_ body: (inout Queue) -> Value) -> Value {
    perform { body(&$0.queue) }
  }

  /// Waits until the queue has room; returns false if no more elements are wanted.
  ///
  /// Several producers that wait continue together, and each may then add an element.
  package func room() async -> Bool {
    await withCheckedContinuation { producer in
      perform { $0.producers.append(producer) }
    }
  }

  /// Returns the next element for a reader, nil after the end.
  ///
  /// A canceled reader gets the end of the stream at once. With `onTermination(awaitingEnd: true)`,
  /// a canceled reader waits for the end and gets the last element.
  package func next(
    for reader: Int = 0, isolation actor: isolated (any Actor)? = #isolation
  ) async throws(Queue.Failure) -> Queue.Element? {
    let answer: Answer = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        perform { state in
          // A reader is one task: if an earlier task still waits, it gets the end of the stream.
          state.readers.updateValue(continuation, forKey: reader)?.resume(returning: .success(nil))
        }
      }
    } onCancel: {
      perform { $0.cancel(reader) }?()
    }
    return try answer.get()
  }

  /// Sets a handler, which is called once if all readers leave before the end; immediately if they
  /// have already left.
  ///
  /// - Parameters:
  ///   - awaitsEnd: whether a canceled reader waits until the handler has ended the stream.
  ///   - handler: stops the producer.
  package func onTermination(
    awaitingEnd awaitsEnd: Bool = false, _ handler: @escaping @Sendable () -> Void
  ) {
    perform { state in
      state.awaitsEnd = awaitsEnd
      state.whenAbandoned = handler
    }
  }

  private func perform<Value: Sendable>(_ step: (inout State) -> Value) -> Value {
    let (value, wakeUps) = state.withLock { [hold] state in
      (step(&state), Self.wakeUps(of: &state, hold))
    }
    for wakeUp in wakeUps { wakeUp() }
    return value
  }

  /// Selects the readers and the producers that can continue, and returns the actions that resume
  /// them, to perform after the lock is released.
  private static func wakeUps(
    of state: inout State, _ hold: TimeHold?
  ) -> [@Sendable () -> Void] {
    var wakeUps: [@Sendable () -> Void] = []
    for id in state.readers.keys.sorted() {
      guard let answer = answer(state.next(for: id)),
        let reader = state.readers.removeValue(forKey: id)
      else { continue }
      hold?.begin()
      wakeUps.append { reader.resume(returning: answer) }
    }
    if !state.readers.isEmpty || state.queue.isAbandoned { hold?.end() }
    if state.queue.hasRoom {
      let isWanted = !state.queue.isClosed
      for producer in state.producers {
        wakeUps.append { producer.resume(returning: isWanted) }
      }
      state.producers = []
    }
    // Even a handler that is no longer needed is released after the lock, because it may retain an
    // object that uses the pipe.
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
  /// Returns a stream of the elements; the pipe has only this reader.
  package func stream() -> AsyncThrowingStream<Queue.Element, any Error> {
    stream { $0 }
  }

  /// Returns a stream of the values that `value` returns for the elements; nil is skipped.
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

/// A reader of a pipe; the reader leaves the pipe when the last reference to it is released.
final class PipeReader<Queue: PipeQueue>: Sendable {
  let pipe: StreamPipe<Queue>
  let id: Int

  init(pipe: StreamPipe<Queue>, id: Int = 0) {
    (self.pipe, self.id) = (pipe, id)
  }

  /// Creates a reader, which joins the pipe at once.
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
