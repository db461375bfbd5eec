import AudioCore
public import AudioRecorderClient
import AudioThreads
import ClientDependencies
import FilePaths
public import Foundation
import SoundFile

extension AudioRecorderClient {
  /// Returns this client with captures that also record all elements, for `replayingCapture`.
  ///
  /// The file consists of JSON lines. The first line is `{"format":"syrinx-capture","version":1}`.
  /// Each other line has "task" (the call of `capture`, counted from 0), "ns" (nanoseconds since
  /// the call, on `\.continuousClock`), and one of the following:
  ///
  /// - "block", with "frames", "firstFrame", "timeNs", "capturedAtNs", the "lost" frames of a gap,
  ///   and "nonFinite", the number of samples that were NaN or infinite
  /// - "failed", with "kind", "reason", and, for an `AudioRecorderError`, that error as "recorder"
  /// - "finished"
  ///
  /// The samples of a capture's blocks are in a 32-bit float WAV file: `talk-0.wav` beside
  /// `talk.jsonl` for the first capture.
  ///
  /// The negotiated device configuration is not recorded. The first capture overwrites an existing
  /// file. If the file cannot be written, the capture's stream throws. The other endpoints are
  /// unchanged.
  public func recordingCapture(to url: URL) throws -> AudioRecorderClient {
    recordingCapture(in: try RecordingJournal(url: url, header: .capture))
  }

  /// Returns this client with captures that are also recorded in a journal.
  func recordingCapture(in journal: RecordingJournal) -> AudioRecorderClient {
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
  /// Returns a client whose captures yield a recording of `recordingCapture(to:)`.
  ///
  /// The blocks are yielded at the recorded times on `\.continuousClock`.
  ///
  /// The calls of `capture` get the recorded captures in order and in the recorded format,
  /// regardless of their requests. A further call throws `ReplayError.noMoreTasks`. The other
  /// endpoints are unimplemented.
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

/// The WAV file of a capture, opened at the first block and read on its own thread.
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
