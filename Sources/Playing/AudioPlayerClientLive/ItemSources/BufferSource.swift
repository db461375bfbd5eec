import AudioCore
import AudioPlayerClient
import AudioThreads
import FoundationEssentials
import SoundFile

/// A source of buffers: a list in memory, a stream, or a file that can be read only once.
///
/// After a seek, unplayed buffers are returned again. A separate task reads a stream, because a
/// stream may ignore cancellation; the next buffer of such a stream is discarded. The task runs on
/// Swift's cooperative pool, where code of a stream belongs, so tasks that occupy that pool delay
/// streams and named pipes. A request in the mailbox ends the wait for the next buffer.
final class BufferSource: FeederSource {
  let url: URL?
  /// The stream of the buffers that have not arrived; nil if all are in memory.
  private let stream: AsyncThrowingStream<AudioBuffer, any Error>?
  private let mailbox: FeederMailbox
  private var reading: Task<AudioBuffer?, any Error>?
  /// The buffers that have arrived and are not forgotten.
  private var buffers = RewindableBuffers()
  private var format: AudioFormat?
  private var isAbandoned = false
  /// The shortfall of a file that is too short, reported by the thread that reads it.
  private let fileShortfall = Promise<Shortfall?>()
  private var foundShortfall: Shortfall?

  private typealias Shortfall = (announced: Duration?, decoded: Duration)

  /// Creates a source of buffers in memory.
  ///
  /// If the buffers were decoded from a file that was too short, `shortfall` contains the announced
  /// and the decoded duration.
  init(
    _ buffers: [AudioBuffer], shortfall: (announced: Duration?, decoded: Duration)? = nil,
    _ mailbox: FeederMailbox
  ) {
    (url, stream, self.mailbox) = (nil, nil, mailbox)
    foundShortfall = shortfall
    for buffer in buffers where !buffer.isEmpty { self.buffers.append(buffer) }
    format = buffers.first { !$0.isEmpty }?.format
  }

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>, _ mailbox: FeederMailbox) {
    (url, self.stream, self.mailbox) = (nil, stream, mailbox)
  }

  /// Creates a source of a named pipe or another file that cannot seek.
  ///
  /// A separate thread reads the file, in short buffers so that live audio is not delayed.
  init(of url: URL, _ mailbox: FeederMailbox) {
    (self.url, self.mailbox) = (url, mailbox)
    stream = SoundFile.buffers(of: url, framesPerBuffer: 512) { [fileShortfall] found in
      fileShortfall.resolve(.success(found.durations))
    }
  }

  deinit {
    reading?.cancel()
  }

  var shortfall: (announced: Duration?, decoded: Duration)? {
    buffers.position < buffers.end ? nil : foundShortfall
  }

  var position: FrameCount { buffers.position }

  var oldestFrame: FrameCount { buffers.oldest }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if format == nil, let first = try await read() {
      buffers.append(first)
      format = first.format
    }
    guard let format else { throw AudioPlayerError.emptySource(url) }
    return (format, stream == nil ? buffers.end.duration(at: format.sampleRate) : nil)
  }

  /// Returns the next buffer; long buffers in memory come in pieces, so that requests do not wait.
  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    let limit: FrameCount = stream == nil ? 4_096 : .init(.max)
    if let buffer = buffers.next(atMost: limit) { return buffer }
    guard let buffer = try await read() else { return nil }
    buffers.append(buffer)
    return buffers.next(atMost: limit)
  }

  nonisolated(nonsending) func begin(at frame: FrameCount) async throws {
    while stream != nil, buffers.end < frame {
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
    // If another request interrupts the wait for the frame, the seek ends after the last frame that
    // has arrived.
    do { try await begin(at: frame) } catch is FeederInterruption { buffers.seek(to: buffers.end) }
  }

  func forget(before frame: FrameCount) {
    buffers.forget(before: frame)
  }

  /// Reads the next buffer; throws `FeederInterruption` if a request arrives, and can then be
  /// called again.
  nonisolated(nonsending) private func read() async throws -> AudioBuffer? {
    guard let stream else { return nil }
    guard !isAbandoned else { throw CancellationError() }
    let reading = reading ?? Task { try await stream.first { !$0.isEmpty } }
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
      if buffer == nil {
        // The reading thread resolves the promise with a shortfall before it ends the stream. If
        // this call resolves it instead, there is no shortfall.
        fileShortfall.resolve(.success(nil))
        foundShortfall = try await fileShortfall.value()
      }
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
