import AudioCore
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
  /// "kind", "ns", "endNs" and, of what was dropped, "reason" and "failed", "failed" with "kind"
  /// and "reason", or "finished". What was heard, where it came as buffers or from a microphone, is
  /// beside it as 32-bit float WAV: `talk.jsonl` has `talk-0.wav` for the first task.
  ///
  /// A file that exists is replaced by the first task. Where it cannot be written, the task's
  /// stream throws.
  public func recording(to url: URL) throws -> SpeechClient {
    let journal = try RecordingJournal(url: url, header: .speech)
    var client = self
    client.startTask = { request in
      await journal.recorded { task in
        await self.startTask(request: request.keepingAudio(in: soundURL(of: task, beside: url)))
      } note: { result, task, ns in
        try await journal.note(RecordedLine(task: task, ns: ns, result: RecordedResult(result)))
      }
    }
    client.recognition = { request in
      await journal.recorded { task in
        await self.recognition(request: request.keepingAudio(in: soundURL(of: task, beside: url)))
      } note: { event, task, ns in
        try await journal.note(RecordedLine(task: task, ns: ns, event: event))
      }
    }
    return client
  }
}

extension RecordedLine {
  fileprivate init(task: Int, ns: Int64, event: SpeechRecognitionEvent) {
    if case .result(let result) = event {
      self.init(task: task, ns: ns, result: RecordedResult(result))
    } else {
      self.init(task: task, ns: ns, event: RecordedEvent(event))
    }
  }
}

extension SpeechRequest {
  /// The request with its buffers written to a file on their way; a file is there already.
  fileprivate func keepingAudio(in url: URL) -> SpeechRequest {
    var request = self
    switch source {
    case .file: break
    case .buffers(let buffers): request.source = .buffers(teed(buffers, to: url))
    case .microphone(let capture):
      request.source = .buffers(teed(MicrophoneAudio(capture), to: url))
    }
    return request
  }
}

private func teed(
  _ buffers: some AsyncSequence<AudioBuffer, any Error> & Sendable, to url: URL
) -> any AsyncSequence<AudioBuffer, any Error> & Sendable {
  buffers.teed(to: url, encoding: .wavFloat)
}
