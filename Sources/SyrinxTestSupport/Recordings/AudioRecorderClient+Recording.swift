public import AudioRecorderClient
import AudioCore
public import Foundation

extension AudioRecorderClient {
  /// This client, with everything that its captures yield noted in a file, for `replayingCapture`.
  ///
  /// The file has JSON lines. The first says `{"format":"syrinx-capture","version":1}`; each of the
  /// others has "task" (the calls of `capture`, counted from 0), "ns" (nanoseconds since the call,
  /// on `\.continuousClock`) and what happened: "block" with "frames", "firstFrame", "timeNs",
  /// "capturedAtNs", after a gap "lost" frames, and where samples were NaN or infinite "nonFinite",
  /// their number; "failed" with "kind" and "reason", or "finished". The samples of all blocks, one
  /// after the other, are beside it as 32-bit float WAV: `talk.jsonl` has `talk-0.wav` for the
  /// first capture.
  ///
  /// What the device settled on is not kept. A file that exists is replaced by the first capture.
  /// Where it cannot be written, the capture's stream throws. The other endpoints are
  /// this client's.
  public func recordingCapture(to url: URL) throws -> AudioRecorderClient {
    let journal = try RecordingJournal(url: url, header: .capture)
    var client = self
    client.capture = { request in
      await journal.recorded { _ in
        await self.capture(request: request)
      } note: { block, task, ns in
        try await journal.note(block, task: task, ns: ns)
      }
    }
    return client
  }
}
