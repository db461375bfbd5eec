import SpeechClient

/// The end of a task that its consumer holds: when that goes away, the task is cancelled.
final class ResultConsumer: Sendable {
  private let task: SpeechTask

  init(task: SpeechTask) {
    self.task = task
  }

  deinit {
    task.cancel()
  }

  /// The next result; nil at the end, and for a consumer that is cancelled.
  func next() async throws -> SpeechRecognitionResult? {
    try await withTaskCancellationHandler {
      try await task.mailbox.next()
    } onCancel: {
      task.cancel()
    }
  }
}
