public import AudioCore
public import FoundationEssentials

/// The source of a playback's audio.
public enum PlaybackSource: Sendable {
  /// A file in any format that `SoundFileReader` reads; a named pipe is played as it is written,
  /// only once.
  case file(URL)
  /// Buffers in memory, in any formats; their `firstFrame` is ignored.
  case buffers([AudioBuffer])
  /// A stream of buffers, pulled on demand; it can be played only once.
  case stream(AsyncThrowingStream<AudioBuffer, any Error>)
  /// A preloaded sound: on its own device it begins within a period, on others it plays as buffers.
  case preloaded(PreloadedSound)

  /// An asynchronous sequence of buffers, pulled on demand; it can be played only once.
  public static func sequence<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers
  ) -> PlaybackSource where Buffers.Element == AudioBuffer {
    let iteration = BufferIteration(buffers)
    return .stream(AsyncThrowingStream { try await iteration.next() })
  }
}

/// The iterator of a sequence.
// Right as `@unchecked Sendable` because its owner requests one element at a time.
package final class BufferIteration: @unchecked Sendable {
  private var pull: () async throws -> AudioBuffer?

  package init<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers
  ) where Buffers.Element == AudioBuffer {
    var iterator = buffers.makeAsyncIterator()
    pull = { try await iterator.next() }
  }

  package func next() async throws -> AudioBuffer? {
    try await pull()
  }
}

/// A number of repetitions, played without gaps.
public enum PlaybackRepetition: Hashable, Sendable {
  /// This many times, at least once.
  case times(Int)
  /// Until stopped.
  case forever
}
