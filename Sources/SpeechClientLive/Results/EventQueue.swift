import AudioCore
import SpeechClient

/// The pipe from the recognizer's thread to the consumer of its events.
typealias EventPipe = StreamPipe<EventQueue>

extension EventPipe {
  func post(_ event: SpeechRecognitionEvent) { change { $0.post(event) } }
}

/// The events that wait for their consumer: the newest partial result, and all other events.
struct EventQueue: PipeQueue {
  private enum Ending {
    case finished((any Error)?)
    case abandoned
  }

  private let limit: Int
  private let hasResultsOnly: Bool
  private var hasLimit = true
  private var events: [SpeechRecognitionEvent] = []
  private var ending: Ending?

  /// - Parameters:
  ///   - limit: the number of waiting events at which the queue is full.
  ///   - hasResultsOnly: whether the reader wants results only.
  init(limit: Int = 16, hasResultsOnly: Bool = false) {
    (self.limit, self.hasResultsOnly) = (limit, hasResultsOnly)
  }

  var isClosed: Bool { ending != nil }
  var isAbandoned: Bool { if case .abandoned = ending { true } else { false } }
  var hasRoom: Bool { !hasLimit || isClosed || events.count < limit }

  /// Adds an event, which replaces a waiting one that it supersedes; a closed queue ignores it.
  mutating func post(_ event: SpeechRecognitionEvent) {
    guard !isClosed, event.isResult || !hasResultsOnly else { return }
    if let last = events.last, event.supersedes(last) { events.removeLast() }
    events.append(event)
  }

  /// Accepts the last events, however many wait.
  mutating func liftLimit() {
    hasLimit = false
  }

  /// Closes the queue after the waiting events, with an error or without.
  mutating func close(_ error: (any Error)?) {
    if !isClosed { ending = .finished(error) }
  }

  /// Closes the queue and drops the waiting events.
  mutating func abandon(by _: Int) {
    events = []
    ending = .abandoned
  }

  mutating func next(for _: Int) -> PipeStep<SpeechRecognitionEvent, any Error> {
    guard events.isEmpty else { return .element(events.removeFirst()) }
    switch ending {
    case nil: return .wait
    case .abandoned: return .end(nil)
    case .finished(let error):
      ending = .finished(nil)
      return .end(error)
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
