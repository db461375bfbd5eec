import SpeechClient

/// The end of a task that its consumer holds: when that goes away, the task is cancelled.
final class EventConsumer: Sendable {
  private let task: SpeechTask

  init(task: SpeechTask) {
    self.task = task
  }

  deinit {
    task.cancel()
  }

  /// The next event; nil at the end, and for a consumer that is cancelled.
  func next() async throws -> SpeechRecognitionEvent? {
    try await withTaskCancellationHandler {
      try await task.mailbox.next()
    } onCancel: {
      task.cancel()
    }
  }

  /// The next result, whatever else happens before it.
  func nextResult() async throws -> SpeechRecognitionResult? {
    while let event = try await next() {
      if case .result(let result) = event { return result }
    }
    return nil
  }
}
