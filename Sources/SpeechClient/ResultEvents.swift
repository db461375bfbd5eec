/// The events of a stream of results.
///
/// Each utterance begins before its first result and ends after its final one; one without ends
/// before the next one's first, or where the results end.
package final class ResultEvents: @unchecked Sendable {
  package typealias Results = AsyncThrowingStream<SpeechRecognitionResult, any Error>
  package typealias Events = AsyncThrowingStream<SpeechRecognitionEvent, any Error>

  // Right because a stream has one consumer, which asks for one element at a time.
  private var iterator: Results.Iterator
  private var waiting: [SpeechRecognitionEvent] = []
  /// The utterance in hand, and where its last word ended.
  private var utterance: (number: Int, end: Duration)?

  private init(_ results: Results) {
    iterator = results.makeAsyncIterator()
  }

  /// The events of a stream of results, which keeps its pace and its end.
  package static func telling(_ results: Results) -> Events {
    let events = ResultEvents(results)
    return AsyncThrowingStream { try await events.next() }
  }

  private func next() async throws -> SpeechRecognitionEvent? {
    if waiting.isEmpty {
      guard let result = try await iterator.next() else {
        defer { utterance = nil }
        return utterance.map { .speechEnded(at: $0.end) }
      }
      waiting = events(of: result)
    }
    return waiting.removeFirst()
  }

  private func events(of result: SpeechRecognitionResult) -> [SpeechRecognitionEvent] {
    let segments = result.bestTranscription.segments
    let begin = segments.first?.timestamp ?? .zero
    let end = segments.last.map { $0.timestamp + $0.duration } ?? begin
    var events: [SpeechRecognitionEvent] = []
    if let lost = utterance, lost.number != result.utterance {
      events.append(.speechEnded(at: lost.end))
      utterance = nil
    }
    if utterance == nil { events.append(.speechStarted(at: begin)) }
    utterance = result.isFinal ? nil : (result.utterance, end)
    return events + [.result(result)] + (result.isFinal ? [.speechEnded(at: end)] : [])
  }
}
