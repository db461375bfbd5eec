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
          // There is one consumer; whoever asked before it and still waits is sent away.
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
