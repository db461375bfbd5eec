import AudioCore
import AudioPlayerClient
import Foundation

/// Buffers as they come.
///
/// A user's stream may ignore that its task is cancelled: it is asked in a task of its own, and what
/// it gives too late is let go.
final class StreamSource: FeederSource {
  let url: URL? = nil
  private let puller: StreamPuller
  private var first: AudioBuffer?
  private var isGivenUp = false

  init(_ stream: AsyncThrowingStream<AudioBuffer, any Error>) {
    puller = StreamPuller(stream)
  }

  func open() async throws -> SourceDescription {
    first = try await pull()
    guard let first else { throw AudioPlayerError.emptySource(nil) }
    return SourceDescription(format: first.format, announcedDuration: nil)
  }

  func next() async throws -> AudioBuffer? {
    defer { first = nil }
    if let first { return first }
    return try await pull()
  }

  nonisolated(nonsending) private func pull() async throws -> AudioBuffer? {
    guard !isGivenUp else { throw CancellationError() }
    let pulling = Task { [puller] in try await puller.next() }
    do {
      return try await withTaskCancellationHandler {
        try await pulling.valueUnlessCancelled()
      } onCancel: {
        pulling.cancel()
      }
    } catch {
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
