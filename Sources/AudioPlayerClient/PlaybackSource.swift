public import AudioCore
public import FoundationEssentials

/// Where the audio of a playback comes from.
public enum PlaybackSource: Sendable {
  /// A file in any format that `SoundFileReader` reads; a named pipe is played while it is written, and
  /// once only.
  case file(URL)
  /// Buffers in memory, one after the other, whatever their formats; their `firstFrame` does not
  /// matter.
  case buffers([AudioBuffer])
  /// Buffers as they come, pulled as they are needed; it can be played once only.
  case stream(AsyncThrowingStream<AudioBuffer, any Error>)
  /// A sound that has been loaded before: on the device that it was loaded for it is begun within a
  /// period, on another one as buffers are.
  case preloaded(PreloadedSound)

  /// Buffers of any asynchronous sequence, pulled as they are needed; it can be played once only.
  public static func sequence<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers
  ) -> PlaybackSource where Buffers.Element == AudioBuffer {
    let iteration = BufferIteration(buffers)
    return .stream(AsyncThrowingStream { try await iteration.next() })
  }
}

/// The place of a sequence's iterator.
// Right as `@unchecked Sendable` because whoever holds it asks for one element at a time.
final class BufferIteration: @unchecked Sendable {
  private var pull: () async throws -> AudioBuffer?

  init<Buffers: AsyncSequence & Sendable>(_ buffers: Buffers) where Buffers.Element == AudioBuffer {
    var iterator = buffers.makeAsyncIterator()
    pull = { try await iterator.next() }
  }

  func next() async throws -> AudioBuffer? {
    try await pull()
  }
}

/// How often something is played; the repetitions join without a gap.
public enum PlaybackRepetition: Hashable, Sendable {
  /// That many times, at least once.
  case times(Int)
  /// Until it is stopped.
  case forever
}
