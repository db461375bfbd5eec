import AudioCore
import SpeechClient
import Testing

@testable import SpeechClientLive

@Suite struct EventPolicyTests {
  private func event(_ number: Int, final: Bool = true) -> SpeechRecognitionEvent {
    .result(
      SpeechRecognitionResult(
        utterance: number, bestTranscription: Transcription(segments: []), isFinal: final))
  }

  private func taken(_ queue: inout PolicyQueue<SpeechRecognitionEvent>) -> SpeechRecognitionResult?
  {
    if case .element(.result(let result)) = queue.next() { result } else { nil }
  }

  @Test func `the queue keeps all final results, but only the newest partial result`() {
    var queue = PolicyQueue(policy: .events(limit: 16))
    for final in [false, false, true, true, false, false] {
      queue.send(event(0, final: final))
    }
    #expect(taken(&queue)?.isFinal == true)
    #expect(taken(&queue)?.isFinal == true)
    #expect(taken(&queue)?.isFinal == false)
    #expect(taken(&queue) == nil)
  }

  @Test func `the queue replaces an unread lag with a newer lag, and drops no other event`() {
    var queue = PolicyQueue(policy: .events(limit: 16))
    let events: [SpeechRecognitionEvent] = [
      .speechStarted(at: .zero), .lagging(by: .seconds(1)), .lagging(by: .seconds(2)),
      .dropped(.zero ..< .seconds(1), reason: .gap), .lagging(by: .zero),
    ]
    for event in events { queue.send(event) }
    var seen: [SpeechRecognitionEvent] = []
    while case .element(let event) = queue.next() { seen.append(event) }
    #expect(seen == [events[0]] + events[2...])
  }

  @Test func `a queue that stores only results drops all other events`() {
    var queue = PolicyQueue(policy: .events(limit: 1, resultsOnly: true))
    queue.send(.speechStarted(at: .zero))
    #expect(queue.hasRoom)
    queue.send(event(0))
    #expect(!queue.hasRoom)
  }

  @Test
  func `a full queue has room again after a read, after its limit is lifted, or after its end`() {
    var full = PolicyQueue(policy: .events(limit: 2))
    full.send(event(0))
    #expect(full.hasRoom)
    full.send(event(1))
    #expect(!full.hasRoom)
    var (taken, lifted, closed) = (full, full, full)
    _ = taken.next()
    lifted.liftLimit()
    closed.finish(throwing: nil)
    #expect(taken.hasRoom && lifted.hasRoom && closed.hasRoom)
  }

  @Test func `a queue returns its events, then the error, and then the end`() {
    var queue = PolicyQueue(policy: .events(limit: 2))
    queue.send(event(0))
    queue.finish(throwing: SpeechClientError.engineFailed(reason: "x"))
    queue.send(event(1))
    #expect(taken(&queue)?.utterance == 0)
    guard case .end(_?) = queue.next() else {
      Issue.record("the error is missing")
      return
    }
    guard case .end(nil) = queue.next() else {
      Issue.record("the end is missing")
      return
    }
  }

  @Test func `an abandoned queue drops its events`() {
    var queue = PolicyQueue(policy: .events(limit: 2))
    queue.send(event(0))
    queue.abandon()
    guard case .end(nil) = queue.next() else {
      Issue.record("there is still something")
      return
    }
  }
}
