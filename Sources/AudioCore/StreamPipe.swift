import Synchronization

/// The writing end of a stream whose memory is bounded: what happens to an element that finds a
/// full or waiting queue is the policy's decision, never chance.
///
/// Thread safety: any thread may send, and one consumer reads; not for the card's thread, because
/// it allocates.
public final class StreamPipe<Element: Sendable>: Sendable {
  private struct Shared {
    var queue: PipeQueue<Element>
    var consumer: CheckedContinuation<Element?, any Error>?
    var onTermination: (@Sendable () -> Void)?
  }

  // Held for the few instructions of one queue operation; continuations and handlers run after it
  // is released.
  private let shared: Mutex<Shared>

  /// A pipe whose queue follows `policy`.
  public init(policy: PipePolicy<Element>) {
    shared = Mutex(Shared(queue: PipeQueue(policy: policy)))
  }

  /// Hands an element to the consumer, or to the queue; after the end it is thrown away.
  public func send(_ element: Element) {
    perform { $0.queue.send(element) }
  }

  /// Ends the stream after what is queued, with an error or without; only the first end counts.
  public func finish(throwing error: (any Error)? = nil) {
    perform { $0.queue.finish(throwing: error) }
    takeTerminationHandler()
  }

  /// Sets what is called once when the consumer is cancelled or gone; at once if it already is.
  public func onTermination(_ handler: @escaping @Sendable () -> Void) {
    let isOver = shared.withLock { shared in
      if !shared.queue.isAbandoned { shared.onTermination = handler }
      return shared.queue.isAbandoned
    }
    if isOver { handler() }
  }

  /// The reading end; there is one consumer.
  public func stream() -> AsyncThrowingStream<Element, any Error> {
    let reader = PipeReader(pipe: self)
    return AsyncThrowingStream { try await reader.next() }
  }

  /// The next element, nil after the end; a cancelled task abandons the pipe and gets nil, as from
  /// any stream.
  fileprivate func next() async throws -> Element? {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        perform { shared in
          // There is one consumer: an earlier request that still waits ends.
          shared.consumer?.resume(returning: nil)
          shared.consumer = continuation
          return shared.queue.demand()
        }
      }
    } onCancel: {
      abandon()
    }
  }

  fileprivate func abandon() {
    perform { $0.queue.abandon() }
    takeTerminationHandler()?()
  }

  @discardableResult
  private func takeTerminationHandler() -> (@Sendable () -> Void)? {
    shared.withLock { shared in
      defer { shared.onTermination = nil }
      return shared.onTermination
    }
  }

  private func perform(_ step: (inout Shared) -> PipeQueue<Element>.Action) {
    let (action, consumer) = shared.withLock { shared in
      let action = step(&shared)
      guard action.resumes else {
        return (action, nil as CheckedContinuation<Element?, any Error>?)
      }
      defer { shared.consumer = nil }
      return (action, shared.consumer)
    }
    switch action {
    case .wait: break
    case .deliver(let element): consumer?.resume(returning: element)
    case .end(nil): consumer?.resume(returning: nil)
    case .end(let error?): consumer?.resume(throwing: error)
    }
  }
}

/// What the stream's closure holds: when the last copy of the stream is gone, so is its consumer.
private final class PipeReader<Element: Sendable>: Sendable {
  private let pipe: StreamPipe<Element>

  init(pipe: StreamPipe<Element>) {
    self.pipe = pipe
  }

  deinit {
    pipe.abandon()
  }

  func next() async throws -> Element? {
    try await pipe.next()
  }
}

/// What a pipe does with an element for which no consumer waits.
public struct PipePolicy<Element: Sendable>: Sendable {
  /// Puts the new element into the queue, and takes out or merges what has to make room.
  public let enqueue: @Sendable (_ queue: inout [Element], _ element: Element) -> Void

  /// A policy from a function; it must keep the queue bounded.
  public init(enqueue: @escaping @Sendable (inout [Element], Element) -> Void) {
    self.enqueue = enqueue
  }

  /// Keeps only the newest of the elements for which `isReplaceable` holds: figures that nobody
  /// needs twice.
  ///
  /// Others are all kept, so that they must be rare.
  public static func newest(where isReplaceable: @escaping @Sendable (Element) -> Bool) -> Self {
    PipePolicy { queue, element in
      if isReplaceable(element) { queue.removeAll(where: isReplaceable) }
      queue.append(element)
    }
  }
}

/// The state of a pipe, without tasks or locks: every step returns what is to be done.
struct PipeQueue<Element: Sendable> {
  /// What the pipe does after a step.
  enum Action {
    case wait
    case deliver(Element)
    case end((any Error)?)

    var resumes: Bool {
      if case .wait = self { false } else { true }
    }
  }

  private enum End {
    case open
    case finished((any Error)?)
    case abandoned
  }

  private let policy: PipePolicy<Element>
  private var queue: [Element] = []
  private var isAwaited = false
  private var end = End.open

  init(policy: PipePolicy<Element>) {
    self.policy = policy
  }

  /// Whether the consumer is gone.
  var isAbandoned: Bool {
    if case .abandoned = end { true } else { false }
  }

  mutating func send(_ element: Element) -> Action {
    guard case .open = end else { return .wait }
    guard isAwaited else {
      policy.enqueue(&queue, element)
      return .wait
    }
    isAwaited = false
    return .deliver(element)
  }

  mutating func demand() -> Action {
    if case .abandoned = end { return .end(nil) }
    if !queue.isEmpty { return .deliver(queue.removeFirst()) }
    guard case .finished(let error) = end else {
      isAwaited = true
      return .wait
    }
    end = .finished(nil)
    return .end(error)
  }

  mutating func finish(throwing error: (any Error)?) -> Action {
    guard case .open = end else { return .wait }
    end = .finished(isAwaited ? nil : error)
    guard isAwaited else { return .wait }
    isAwaited = false
    return .end(error)
  }

  mutating func abandon() -> Action {
    queue = []
    end = .abandoned
    guard isAwaited else { return .wait }
    isAwaited = false
    return .end(nil)
  }
}

extension Array {
  /// Appends an element in the place of all for which `isReplaceable` holds.
  package mutating func append(_ element: Element, inPlaceOf isReplaceable: (Element) -> Bool) {
    removeAll(where: isReplaceable)
    append(element)
  }

  /// Appends an element, and takes out the oldest of its kind where there are more than `count`.
  package mutating func append(
    _ element: Element, toNewest count: Int, where isOfItsKind: (Element) -> Bool
  ) {
    append(element)
    guard self.count > count, self.count(where: isOfItsKind) > count,
      let oldest = firstIndex(where: isOfItsKind)
    else { return }
    remove(at: oldest)
  }

  /// Appends one element in place of all of its kind, with the sum of their amounts.
  ///
  /// - Parameters:
  ///   - amount: what is to be added to theirs.
  ///   - amountOf: the amount of an element of that kind, nil for any other.
  ///   - element: makes one of that kind.
  package mutating func append<Amount: AdditiveArithmetic>(
    adding amount: Amount, to amountOf: (Element) -> Amount?, as element: (Amount) -> Element
  ) {
    let earlier = compactMap(amountOf).reduce(.zero, +)
    append(element(earlier + amount), inPlaceOf: { amountOf($0) != nil })
  }
}
