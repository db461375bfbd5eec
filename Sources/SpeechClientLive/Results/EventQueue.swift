import SpeechClient

/// The events that wait for their consumer: of partial results at most the newest, and everything
/// else.
struct EventQueue {
  /// What the consumer is to do.
  enum Next {
    case take(SpeechRecognitionEvent)
    case wait
    case end
    case fail(any Error)
  }

  private enum Ending {
    case end
    case failure(any Error)
  }

  private let limit: Int
  private let hasResultsOnly: Bool
  private var hasLimit = true
  private var events: [SpeechRecognitionEvent] = []
  private var ending: Ending?

  /// - Parameters:
  ///   - limit: with so many events waiting, the queue is full.
  ///   - hasResultsOnly: whether other events than results are wanted by nobody.
  init(limit: Int, hasResultsOnly: Bool) {
    (self.limit, self.hasResultsOnly) = (limit, hasResultsOnly)
  }

  var isClosed: Bool { ending != nil }

  /// Whether whoever makes the events should wait; a closed queue is never full.
  var isFull: Bool { hasLimit && !isClosed && events.count >= limit }

  /// Takes an event, in place of one that it supersedes and nobody has seen; a closed queue takes
  /// nothing.
  mutating func post(_ event: SpeechRecognitionEvent) {
    guard !isClosed, event.isResult || !hasResultsOnly else { return }
    if let last = events.last, event.supersedes(last) { events.removeLast() }
    events.append(event)
  }

  /// Lets the last events in, however many wait.
  mutating func liftLimit() {
    hasLimit = false
  }

  /// Closes the queue: what waits is still taken, then the consumer sees the end or the error.
  mutating func close(_ error: (any Error)?) {
    guard !isClosed else { return }
    ending = error.map(Ending.failure) ?? .end
  }

  /// Closes the queue and forgets what waits.
  mutating func abandon() {
    events = []
    ending = .end
  }

  mutating func next() -> Next {
    guard events.isEmpty else { return .take(events.removeFirst()) }
    switch ending {
    case nil: return .wait
    case .end: return .end
    case .failure(let error):
      ending = .end
      return .fail(error)
    }
  }
}

extension SpeechRecognitionEvent {
  fileprivate var isResult: Bool { if case .result = self { true } else { false } }

  fileprivate func supersedes(_ last: SpeechRecognitionEvent) -> Bool {
    switch (last, self) {
    case (.result(let last), .result): !last.isFinal
    case (.lagging, .lagging), (.progressed, .progressed): true
    default: false
    }
  }
}
