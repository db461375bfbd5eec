import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation

/// Buffers as they come.
///
/// What has not been heard yet can be given again. A user's stream may ignore that its task is cancelled: it is asked in a task of its own, and what
/// it gives too late is let go. While it gives nothing, requests are looked at.
final class StreamSource: FeederSource {
  let url: URL? = nil
  let shortfall: (announced: Duration, decoded: Duration)? = nil
  private let puller: StreamPuller
  private let mailbox: FeederMailbox
  private var pulling: Task<AudioBuffer?, any Error>?
  /// What has been pulled and not been heard.
  private var tape = BufferTape()
  private var isGivenUp = false

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>, _ mailbox: FeederMailbox) {
    puller = StreamPuller(stream)
    self.mailbox = mailbox
  }

  deinit {
    pulling?.cancel()
  }

  var position: FrameCount { tape.position }

  var oldestFrame: FrameCount { tape.oldest }

  func open() async throws -> SourceDescription {
    guard let first = try await pull(isInterruptible: false) else {
      throw AudioPlayerError.emptySource(nil)
    }
    tape.append(first)
    return SourceDescription(format: first.format, announcedDuration: nil)
  }

  func next() async throws -> AudioBuffer? {
    if let buffer = tape.next(atMost: .init(.max)) { return buffer }
    guard let buffer = try await pull(isInterruptible: true) else { return nil }
    tape.append(buffer)
    return tape.next(atMost: .init(.max))
  }

  func seek(to frame: FrameCount) async throws {
    guard frame >= tape.oldest else { throw AudioPlayerError.notSeekable(nil) }
    while tape.end < frame {
      tape.seek(to: tape.end)
      tape.forget(before: tape.end)
      guard let buffer = try await pull(isInterruptible: false) else { break }
      tape.append(buffer)
    }
    tape.seek(to: frame)
  }

  func forget(before frame: FrameCount) {
    tape.forget(before: frame)
  }

  nonisolated(nonsending) private func pull(isInterruptible: Bool) async throws -> AudioBuffer? {
    guard !isGivenUp else { throw CancellationError() }
    let pulling = pulling ?? Task { [puller] in try await puller.next() }
    self.pulling = pulling
    let answer = FirstAnswer<AudioBuffer?>()
    Task { answer.give(await pulling.result) }
    if isInterruptible { mailbox.interrupt { answer.give(.failure(FeederInterruption())) } }
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
      throw AudioPlayerError.source(nil, reason: "\(error)")
    }
  }
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
