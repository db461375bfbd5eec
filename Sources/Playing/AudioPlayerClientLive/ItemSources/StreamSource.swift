import AudioCore
import AudioPlayerClient
import AudioThreads
import FoundationEssentials
import SoundFile
import Synchronization

/// A stream of buffers, or a file that can be read only once.
///
/// Unplayed buffers can be returned again. A user's stream may ignore cancellation: it is read in
/// its own task, and a late buffer is discarded. A request ends the wait for the next buffer.
final class StreamSource: FeederSource {
  let url: URL?
  private let reader: BufferIteration
  private let mailbox: FeederMailbox
  private var reading: Task<AudioBuffer?, any Error>?
  /// The buffers that have been read and not been played.
  private var buffers = RewindableBuffers()
  private var format: AudioFormat?
  private var isAbandoned = false
  private let pipeShortfall = PipeShortfall()

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>, _ mailbox: FeederMailbox) {
    url = nil
    reader = BufferIteration(stream)
    self.mailbox = mailbox
  }

  /// A named pipe or another file without seeking, read on its own thread in short buffers that do
  /// not delay the audio.
  init(of url: URL, _ mailbox: FeederMailbox) {
    self.url = url
    reader = BufferIteration(
      SoundFile.buffers(of: url, framesPerBuffer: 512) { [pipeShortfall] in
        pipeShortfall.note($0)
      })
    self.mailbox = mailbox
  }

  deinit {
    reading?.cancel()
  }

  var shortfall: (announced: Duration?, decoded: Duration)? { pipeShortfall.noted?.durations }

  var position: FrameCount { buffers.position }

  var oldestFrame: FrameCount { buffers.oldest }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if let format { return SourceDescription(format: format, announcedDuration: nil) }
    guard let first = try await read() else { throw AudioPlayerError.emptySource(url) }
    buffers.append(first)
    format = first.format
    return SourceDescription(format: first.format, announcedDuration: nil)
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    if let buffer = buffers.next(atMost: .init(.max)) { return buffer }
    guard let buffer = try await read() else { return nil }
    buffers.append(buffer)
    return buffers.next(atMost: .init(.max))
  }

  nonisolated(nonsending) func begin(at frame: FrameCount) async throws {
    while buffers.end < frame {
      buffers.seek(to: buffers.end)
      buffers.forget(before: buffers.end)
      guard let buffer = try await read() else { break }
      buffers.append(buffer)
    }
    buffers.seek(to: frame)
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    let hasArrived = frame <= buffers.end || url == nil
    guard frame >= buffers.oldest, hasArrived else { throw AudioPlayerError.notSeekable(url) }
    // Another request ends the wait for a frame that has not arrived: the seek stops at the last
    // one.
    do { try await begin(at: frame) } catch is FeederInterruption { buffers.seek(to: buffers.end) }
  }

  func forget(before frame: FrameCount) {
    buffers.forget(before: frame)
  }

  /// Reads the next buffer; throws `FeederInterruption` if a request arrives, and can be called
  /// again.
  nonisolated(nonsending) private func read() async throws -> AudioBuffer? {
    guard !isAbandoned else { throw CancellationError() }
    let reading =
      reading
      ?? Task { [reader] in
        while let buffer = try await reader.next() {
          if !buffer.isEmpty { return buffer }
        }
        return nil
      }
    self.reading = reading
    let answer = Promise<AudioBuffer?>()
    Task { answer.resolve(await reading.result) }
    mailbox.interrupt { answer.resolve(.failure(FeederInterruption())) }
    defer { mailbox.interrupt(nil) }
    do {
      let buffer = try await withTaskCancellationHandler {
        try await answer.value()
      } onCancel: {
        reading.cancel()
      }
      self.reading = nil
      return buffer
    } catch let interruption as FeederInterruption {
      throw interruption
    } catch {
      self.reading = nil
      isAbandoned = Task.isCancelled
      try Task.checkCancellation()
      throw AudioPlayerError.source(url, reason: "\(error)")
    }
  }
}

/// Carries a shortfall from the thread that reads a pipe to the feeder's thread.
private final class PipeShortfall: Sendable {
  // Held only to store and to load the value.
  private let value = Mutex<SoundFileShortfall?>(nil)

  func note(_ shortfall: SoundFileShortfall) { value.withLock { $0 = shortfall } }

  var noted: SoundFileShortfall? { value.withLock { $0 } }
}
