import AudioCore
import AudioPlayerClient
import AudioThreads
import FoundationEssentials
import SoundFile
import Synchronization

/// Buffers as they come.
///
/// What has not been heard yet can be given again. A user's stream may ignore that its task is
/// cancelled: it is asked in a task of its own, and what it gives too late is let go. While it
/// gives nothing, requests are looked at.
final class StreamSource: FeederSource {
  let url: URL?
  private let puller: StreamPuller
  private let mailbox: FeederMailbox
  private var pulling: Task<AudioBuffer?, any Error>?
  /// What has been pulled and not been heard.
  private var tape = BufferTape()
  private var format: AudioFormat?
  private var isGivenUp = false
  /// What a pipe's header promised and did not hold, as the thread that reads it finds out.
  private let missing = MissingAudio()

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>, _ mailbox: FeederMailbox) {
    url = nil
    puller = StreamPuller(stream)
    self.mailbox = mailbox
  }

  /// A named pipe or another file that comes as a stream, read on a thread of its own, in buffers
  /// so short that none of them keeps back for long what has come.
  init(of url: URL, _ mailbox: FeederMailbox) {
    self.url = url
    puller = StreamPuller(
      SoundFile.buffers(of: url, framesPerBuffer: 512) { [missing] in missing.note($0) })
    self.mailbox = mailbox
  }

  deinit {
    pulling?.cancel()
  }

  var shortfall: (announced: Duration?, decoded: Duration)? {
    guard let rate = format?.sampleRate, let shortfall = missing.shortfall else { return nil }
    return (shortfall.announced?.duration(at: rate), shortfall.decoded.duration(at: rate))
  }

  var position: FrameCount { tape.position }

  var oldestFrame: FrameCount { tape.oldest }

  nonisolated(nonsending) func open() async throws -> SourceDescription {
    if let format { return SourceDescription(format: format, announcedDuration: nil) }
    guard let first = try await pull() else { throw AudioPlayerError.emptySource(url) }
    tape.append(first)
    format = first.format
    return SourceDescription(format: first.format, announcedDuration: nil)
  }

  nonisolated(nonsending) func next() async throws -> AudioBuffer? {
    if let buffer = tape.next(atMost: .init(.max)) { return buffer }
    guard let buffer = try await pull() else { return nil }
    tape.append(buffer)
    return tape.next(atMost: .init(.max))
  }

  nonisolated(nonsending) func begin(at frame: FrameCount) async throws {
    while tape.end < frame {
      tape.seek(to: tape.end)
      tape.forget(before: tape.end)
      guard let buffer = try await pull() else { break }
      tape.append(buffer)
    }
    tape.seek(to: frame)
  }

  nonisolated(nonsending) func seek(to frame: FrameCount) async throws {
    let isThere = frame <= tape.end || url == nil
    guard frame >= tape.oldest, isThere else { throw AudioPlayerError.notSeekable(url) }
    // Another request ends the wait for a place that does not come: it is as far as it has come.
    do { try await begin(at: frame) } catch is FeederInterruption { tape.seek(to: tape.end) }
  }

  func forget(before frame: FrameCount) {
    tape.forget(before: frame)
  }

  /// The next buffer; throws `FeederInterruption` where there is a request, and can be asked again.
  nonisolated(nonsending) private func pull() async throws -> AudioBuffer? {
    guard !isGivenUp else { throw CancellationError() }
    let pulling = pulling ?? Task { [puller] in try await puller.next() }
    self.pulling = pulling
    let answer = FirstAnswer<AudioBuffer?>()
    Task { answer.give(await pulling.result) }
    mailbox.interrupt { answer.give(.failure(FeederInterruption())) }
    defer { mailbox.interrupt(nil) }
    do {
      let buffer = try await withTaskCancellationHandler {
        try await answer.value()
      } onCancel: {
        pulling.cancel()
      }
      self.pulling = nil
      return buffer
    } catch let interruption as FeederInterruption {
      throw interruption
    } catch {
      self.pulling = nil
      isGivenUp = Task.isCancelled
      try Task.checkCancellation()
      throw AudioPlayerError.source(url, reason: "\(error)")
    }
  }
}

/// A shortfall, from the thread that reads to the one that plays.
private final class MissingAudio: Sendable {
  // Held to note and to look.
  private let noted = Mutex<SoundFileShortfall?>(nil)

  func note(_ shortfall: SoundFileShortfall) { noted.withLock { $0 = shortfall } }

  var shortfall: SoundFileShortfall? { noted.withLock { $0 } }
}

/// The place of the stream's iterator.
// Right as `@unchecked Sendable` because one pull runs at a time: the next begins when the one
// before has answered, and none after one that was given up.
private final class StreamPuller: @unchecked Sendable {
  private var iterator: AsyncThrowingStream<AudioBuffer, any Error>.Iterator

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>) {
    iterator = stream.makeAsyncIterator()
  }

  /// The next buffer that holds anything, nil at the end.
  func next() async throws -> AudioBuffer? {
    while let buffer = try await iterator.next() {
      if !buffer.isEmpty { return buffer }
    }
    return nil
  }
}
