import AudioCore
import SpeechClient
import SpeechEngine
import Testing

@testable import SpeechClientLive

@Suite struct ReportQueueTests {
  private struct DecoderFailure: Error {}

  private let event = SpeechRecognitionEvent.progressed(to: .seconds(5))

  private func words(_ text: String) -> ReportQueue.Words {
    .success(SpeechHypothesis(words: [SpeechHypothesis.Word(text, frames: 0..<1600)]))
  }

  /// Removes the known reports, and returns each as a text: an utterance with its start, end, and words.
  private func removeKnown(from queue: inout ReportQueue) -> [String] {
    var texts: [String] = []
    while let report = queue.popKnown() {
      switch report {
      case .event(let event): texts.append(event == self.event ? "event" : "another event")
      case .utterance(let utterance, end: let end, words: .success(let hypothesis)):
        let text = hypothesis.words.map(\.text).joined(separator: " ")
        texts.append("\(utterance.start.rawValue)-\(end.rawValue) \(text)")
      case .utterance(let utterance, end: let end, words: .failure(let error)):
        texts.append("\(utterance.start.rawValue)-\(end.rawValue) \(error is DecoderFailure)")
      }
    }
    return texts
  }

  @Test func `utterances keep the order of the audio, whichever decoder ends first`() {
    var queue = ReportQueue()
    #expect(queue.append(Utterance(start: 0), end: 10) == 0)
    #expect(queue.append(Utterance(start: 20), end: 30) == 1)
    #expect(queue.append(Utterance(start: 40), end: 50) == 2)
    queue.note(words("on"), of: 1)
    #expect(removeKnown(from: &queue) == [])
    queue.note(words("go"), of: 0)
    #expect(removeKnown(from: &queue) == ["0-10 go", "20-30 on"])
    queue.note(.failure(DecoderFailure()), of: 2)
    #expect(removeKnown(from: &queue) == ["40-50 true"])
    #expect(queue.isEmpty)
  }

  @Test func `an event waits for the utterances before it, and not for those after it`() {
    var queue = ReportQueue()
    let first = queue.append(Utterance(start: 0), end: 10)
    queue.append(event)
    _ = queue.append(Utterance(start: 20), end: 30)
    queue.append(event)
    #expect(removeKnown(from: &queue) == [])
    queue.note(words("go"), of: first)
    #expect(removeKnown(from: &queue) == ["0-10 go", "event"])
    #expect(!queue.isEmpty)
  }

  @Test func `an utterance counts as waiting until it is removed, and an event never does`() {
    var queue = ReportQueue()
    _ = queue.append(Utterance(start: 0), end: 10)
    let second = queue.append(Utterance(start: 20), end: 30)
    queue.append(event)
    #expect(queue.waitingCount == 2)
    queue.note(words("on"), of: second)
    #expect(removeKnown(from: &queue) == [])
    #expect(queue.waitingCount == 2)
    queue.note(words("go"), of: 0)
    #expect(removeKnown(from: &queue).count == 3)
    #expect(queue.waitingCount == 0)
  }

  @Test func `the words of a removed utterance are ignored, and its index is not reused`() {
    var queue = ReportQueue()
    let first = queue.append(Utterance(start: 0), end: 10)
    queue.append(event)
    queue.removeAll()
    #expect(queue.isEmpty && queue.waitingCount == 0)
    #expect(queue.append(Utterance(start: 20), end: 30) == 1)
    queue.note(words("go"), of: first)
    #expect(removeKnown(from: &queue) == [])
    #expect(queue.waitingCount == 1)
  }
}
