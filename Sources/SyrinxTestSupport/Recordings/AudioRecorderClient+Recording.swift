import AudioCore
public import AudioRecorderClient
import AudioThreads
import ClientDependencies
import FilePaths
public import Foundation
import SoundFile

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

extension AudioRecorderClient {
  /// A client whose captures yield what was recorded with `recordingCapture(to:)`, when it was, on
  /// `\.continuousClock`.
  ///
  /// The calls of `capture` get the recorded ones in order, in the format of then, whatever they
  /// ask for. One call more than was recorded throws `ReplayError.noMoreTasks`. The other endpoints
  /// are not implemented.
  ///
  /// - Throws: `ReplayError.unreadable`.
  public static func replayingCapture(_ url: URL) throws -> AudioRecorderClient {
    let replay = Replay(try RecordedTasks(url: url, header: .capture))
    var client = AudioRecorderClient()
    client.capture = { _ in
      do {
        let (task, lines, pace) = try replay.begin()
        let sound = try ReplayedSound(url: soundURL(of: task, beside: url))
        return ReplayedStream.replaying(lines, pace: pace) { line in
          guard let block = line.block else { return nil }
          return block.value(try await sound.read(FrameCount(block.frames)))
        }
      } catch {
        return .finished(throwing: error)
      }
    }
    return client
  }
}

/// The WAV file of a capture, opened by the first block and read on a thread of its own.
private actor ReplayedSound {
  private let executor: ThreadExecutor
  private let url: URL
  private var reader: SoundFileReader?

  init(url: URL) throws {
    executor = try ThreadExecutor(name: "syrinx-replay")
    self.url = url
  }

  isolated deinit {
    reader = nil
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func read(_ count: FrameCount) throws -> AudioBuffer {
    let reader = try reader ?? SoundFileReader(url: url)
    self.reader = reader
    let buffer = try reader.read(atMost: count)
    guard buffer.frameCount == count else {
      throw ReplayError.unreadable(
        reason: "\(FilePath(url)) is shorter than the recording beside it")
    }
    return buffer
  }
}
