import SpeechClient
import Synchronization

/// Hands events from the recognizer's thread to the consumer's task; both may wait for the other.
final class EventMailbox: Sendable {
  typealias Consumer = CheckedContinuation<SpeechRecognitionEvent?, any Error>

  private struct State {
    var queue: EventQueue
    var consumer: Consumer?
    var maker: CheckedContinuation<Void, Never>?
  }

  /// What to do once the lock is free.
  private struct Wake {
    var consumer: (Consumer, EventQueue.Next)?
    var maker: CheckedContinuation<Void, Never>?
  }

  // Held to move events in and out; whoever waits is woken after it is free.
  private let state: Mutex<State>

  init(limit: Int = 16, hasResultsOnly: Bool = false) {
    state = Mutex(State(queue: EventQueue(limit: limit, hasResultsOnly: hasResultsOnly)))
  }

  /// Whether nobody wants further events.
  var isClosed: Bool { state.withLock { $0.queue.isClosed } }

  func post(_ event: SpeechRecognitionEvent) { change { $0.post(event) } }
  func liftLimit() { change { $0.liftLimit() } }
  func close(_ error: (any Error)?) { change { $0.close(error) } }
  func abandon() { change { $0.abandon() } }

  /// Waits while the queue is full.
  func room() async {
    await withCheckedContinuation { maker in
      change(waiting: { $0.maker = maker }) { _ in }
    }
  }

  /// The next event; nil at the end.
  func next() async throws -> SpeechRecognitionEvent? {
    try await withCheckedThrowingContinuation { consumer in
      // There is one consumer; whoever asked before it and still waits is sent away.
      change(waiting: { state in
        state.consumer?.resume(returning: nil)
        state.consumer = consumer
      }) { _ in }
    }
  }

  private func change(
    waiting: (inout State) -> Void = { _ in }, _ body: (inout EventQueue) -> Void
  ) {
    let wake = state.withLock { state in
      waiting(&state)
      body(&state.queue)
      return Self.whomToWake(&state)
    }
    wake.maker?.resume()
    if let (consumer, next) = wake.consumer { consumer.resume(next) }
  }

  private static func whomToWake(_ state: inout State) -> Wake {
    var wake = Wake()
    if let consumer = state.consumer {
      let next = state.queue.next()
      if case .wait = next {
      } else {
        wake.consumer = (consumer, next)
        state.consumer = nil
      }
    }
    if !state.queue.isFull { wake.maker = state.maker.take() }
    return wake
  }
}

extension EventMailbox.Consumer {
  fileprivate func resume(_ next: EventQueue.Next) {
    switch next {
    case .take(let event): resume(returning: event)
    case .fail(let error): resume(throwing: error)
    case .end, .wait: resume(returning: nil)
    }
  }
}
