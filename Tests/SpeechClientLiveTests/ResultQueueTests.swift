import SpeechClient
import Testing

@testable import SpeechClientLive

@Suite struct ResultQueueTests {
  private func result(_ number: Int, final: Bool = true) -> SpeechRecognitionResult {
    SpeechRecognitionResult(
      utterance: number, bestTranscription: Transcription(segments: []), isFinal: final)
  }

  private func taken(_ queue: inout ResultQueue) -> SpeechRecognitionResult? {
    if case .take(let result) = queue.next() { result } else { nil }
  }

  @Test func `every final result waits, of the partial ones only the newest`() {
    var queue = ResultQueue(limit: 16)
    for final in [false, false, true, true, false, false] {
      queue.post(result(0, final: final))
    }
    #expect(taken(&queue)?.isFinal == true)
    #expect(taken(&queue)?.isFinal == true)
    #expect(taken(&queue)?.isFinal == false)
    #expect(taken(&queue) == nil)
  }

  @Test
  func `a full queue has room again when a result is taken, or the limit lifted, or at the end`() {
    var full = ResultQueue(limit: 2)
    full.post(result(0))
    #expect(!full.isFull)
    full.post(result(1))
    #expect(full.isFull)
    var (taken, lifted, closed) = (full, full, full)
    _ = taken.next()
    lifted.liftLimit()
    closed.close(nil)
    #expect(!taken.isFull && !lifted.isFull && !closed.isFull)
  }

  @Test func `what waits is taken before the error, and after it comes the end`() {
    var queue = ResultQueue(limit: 2)
    queue.post(result(0))
    queue.close(SpeechClientError.engineFailed(reason: "x"))
    queue.post(result(1))
    #expect(taken(&queue)?.utterance == 0)
    guard case .fail = queue.next() else {
      Issue.record("the error is missing")
      return
    }
    guard case .end = queue.next() else {
      Issue.record("the end is missing")
      return
    }
  }

  @Test func `an abandoned queue forgets what waits`() {
    var queue = ResultQueue(limit: 2)
    queue.post(result(0))
    queue.abandon()
    guard case .end = queue.next() else {
      Issue.record("there is still something")
      return
    }
  }
}
