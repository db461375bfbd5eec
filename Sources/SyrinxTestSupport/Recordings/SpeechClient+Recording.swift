import AudioCore
import ClientDependencies
public import Foundation
import SoundFile
public import SpeechClient

extension SpeechClient {
  /// This client, with everything that its tasks yield noted in a file, for `replaying(_:)`.
  ///
  /// The file has JSON lines. The first says `{"format":"syrinx-speech","version":1}`; each of the
  /// others has "task" (the calls of `startTask` and `recognition`, counted from 0), "ns"
  /// (nanoseconds since the call, on `\.continuousClock`) and what happened: "result" with
  /// "utterance", "final", "words" ("word", "startNs", "durationNs", "confidence", "alternatives"),
  /// "stable" (how many of them), "alternatives" (lists of words) and "metadata", "event" with
  /// "kind", "ns" and "endNs", "failed" with "kind" and "reason", or "finished". What was heard,
  /// where it came as buffers, is beside it as 32-bit float WAV: `talk.jsonl` has `talk-0.wav` for
  /// the first task.
  ///
  /// A file that exists is replaced by the first task. Where it cannot be written, the task's
  /// stream throws.
  public func recording(to url: URL) throws -> SpeechClient {
    let journal = try RecordingJournal(url: url, header: .speech)
    var client = self
    client.startTask = { request in
      await journal.recorded(request, beside: url, self.startTask) { task, ns, result in
        RecordedLine(task: task, ns: ns, result: RecordedResult(result))
      }
    }
    client.recognition = { request in
      await journal.recorded(request, beside: url, self.recognition) { task, ns, event in
        if case .result(let result) = event {
          RecordedLine(task: task, ns: ns, result: RecordedResult(result))
        } else {
          RecordedLine(task: task, ns: ns, event: RecordedEvent(event))
        }
      }
    }
    return client
  }
}

extension RecordingJournal {
  /// What a call of an endpoint yields, noted on the way.
  fileprivate func recorded<Element: Sendable>(
    _ request: SpeechRequest, beside url: URL,
    _ endpoint: @Sendable (SpeechRequest) async -> AsyncThrowingStream<Element, any Error>,
    line: @escaping @Sendable (_ task: Int, _ ns: Int64, _ element: Element) -> RecordedLine
  ) async -> AsyncThrowingStream<Element, any Error> {
    @Dependency(\.continuousClock) var clock
    let elapsed = stopwatch(clock)
    do {
      let task = try begin()
      let elements = await endpoint(request.keepingAudio(in: soundURL(of: task, beside: url)))
      return RecordedStream.noting(elements) { note in
        let ns = elapsed().inNanoseconds
        switch note {
        case .element(let element): try await self.note(line(task, ns, element))
        case .end(let error): try await self.end(task: task, ns: ns, failure: error)
        }
      }
    } catch {
      return .finished(throwing: error)
    }
  }
}

extension SpeechRequest {
  /// The request with its buffers written to a file on their way; a file is there already.
  fileprivate func keepingAudio(in url: URL) -> SpeechRequest {
    guard case .buffers(let buffers) = source else { return self }
    var request = self
    request.source = .buffers(teed(buffers, to: url))
    return request
  }
}

private func teed(
  _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable, to url: URL
) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
  buffers.teed(to: url, encoding: .wavFloat)
}
