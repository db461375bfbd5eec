import AudioCore
import AudioPlayerClient
import AudioThreads
import Foundation

/// Buffers as they come.
///
/// A user's stream may ignore that its task is cancelled: it is asked in a task of its own, and what
/// it gives too late is let go. While it gives nothing, requests are looked at.
final class StreamSource: FeederSource {
  let url: URL? = nil
  let shortfall: (announced: Duration, decoded: Duration)? = nil
  private let puller: StreamPuller
  private let mailbox: FeederMailbox
  private var pulling: Task<AudioBuffer?, any Error>?
  /// What has been pulled and not been given.
  private var held: AudioBuffer?
  private var position: FrameCount = 0
  private var isGivenUp = false

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>, _ mailbox: FeederMailbox) {
    puller = StreamPuller(stream)
    self.mailbox = mailbox
  }

  deinit {
    pulling?.cancel()
  }

  func open() async throws -> SourceDescription {
    held = try await pull(isInterruptible: false)
    guard let held else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(format: held.format, announcedDuration: nil)
  }

  func next() async throws -> AudioBuffer? {
    let buffer = if let held { held } else { try await pull(isInterruptible: true) }
    held = nil
    position += buffer?.frameCount ?? 0
    return buffer
  }

  func seek(to frame: FrameCount) async throws -> FrameCount {
    guard frame >= position else { throw AudioPlayerError.notSeekable(nil) }
    while position < frame {
      let buffer = if let held { held } else { try await pull(isInterruptible: false) }
      held = nil
      guard let buffer else { break }
      let count = min(frame - position, buffer.frameCount)
      position += count
      if count < buffer.frameCount { held = buffer.frames(count..<buffer.frameCount) }
    }
    return position
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
