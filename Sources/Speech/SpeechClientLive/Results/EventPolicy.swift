import AudioCore
import SpeechClient

/// The pipe from the recognizer's thread to the consumer of its events.
typealias EventPipe = PolicyPipe<SpeechRecognitionEvent>

extension PipePolicy<SpeechRecognitionEvent> {
  /// Queues events, and replaces the last waiting event if a new event makes it obsolete.
  ///
  /// A result replaces a partial result, a lag replaces a lag, and progress replaces progress.
  ///
  /// - Parameters:
  ///   - limit: the number of waiting events at which the pipe is full.
  ///   - resultsOnly: whether the consumer needs only results.
  static func events(limit: Int = 16, resultsOnly: Bool = false) -> Self {
    PipePolicy(limit: limit) { queue, event in
      guard event.isResult || !resultsOnly else { return }
      if let last = queue.last, event.supersedes(last) { queue.removeLast() }
      queue.append(event)
    }
  }
}

extension SpeechRecognitionEvent {
  fileprivate var isResult: Bool { if case .result = self { true } else { false } }

  /// Whether the event makes an unread event before it obsolete.
  func supersedes(_ last: SpeechRecognitionEvent) -> Bool {
    switch (last, self) {
    case (.result(let last), .result): !last.isFinal
    case (.lagging, .lagging), (.progressed, .progressed): true
    default: false
    }
  }
}
