import SpeechClient

/// The results that wait for their consumer: every final one, and at most one partial, the newest.
struct ResultQueue {
  /// What the consumer is to do.
  enum Next {
    case take(SpeechRecognitionResult)
    case wait
    case end
    case fail(any Error)
  }

  private enum Ending {
    case end
    case failure(any Error)
  }

  private let limit: Int
  private var hasLimit = true
  private var results: [SpeechRecognitionResult] = []
  private var ending: Ending?

  /// - Parameter limit: with so many results waiting, the queue is full.
  init(limit: Int) {
    self.limit = limit
  }

  var isClosed: Bool { ending != nil }

  /// Whether whoever makes the results should wait; a closed queue is never full.
  var isFull: Bool { hasLimit && !isClosed && results.count >= limit }

  /// Takes a result, in place of a partial one that nobody has seen; a closed queue takes nothing.
  mutating func post(_ result: SpeechRecognitionResult) {
    guard !isClosed else { return }
    if let last = results.last, !last.isFinal { results.removeLast() }
    results.append(result)
  }

  /// Lets the last results in, however many wait.
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
    results = []
    ending = .end
  }

  mutating func next() -> Next {
    guard results.isEmpty else { return .take(results.removeFirst()) }
    switch ending {
    case nil: return .wait
    case .end: return .end
    case .failure(let error):
      ending = .end
      return .fail(error)
    }
  }
}
