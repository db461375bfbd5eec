import SpeechEngine

/// Counts an engine's consecutive failures; each one costs an utterance.
struct FailureCount {
  /// This many in a row end the stream of an engine in a separate process.
  static let remoteLimit = 3

  /// The last failure, if no utterance has been recognized since.
  private(set) var last: (any Error)?
  private let limit: Int
  private var count = 0

  /// - Parameter limit: the number of consecutive failures that ends the stream; with 0 or 1, every
  ///   failure does.
  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a failure; returns whether the stream continues, which a permanent failure ends.
  mutating func canContinue(after error: any Error) -> Bool {
    count += 1
    guard count < limit else { return false }
    switch error {
    case SpeechEngineError.failed, SpeechEngineError.unreachable:
      last = error
      return true
    default: return false
    }
  }

  /// An utterance has been recognized.
  mutating func reset() {
    (last, count) = (nil, 0)
  }
}
