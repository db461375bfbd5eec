public import AudioCore
public import FoundationEssentials

/// The source of a playback's audio.
public enum PlaybackSource: Sendable {
  /// A file in any format that `SoundFileReader` reads; a named pipe is played as it is written,
  /// and only once.
  case file(URL)
  /// Buffers in memory, in any formats; their `firstFrame` is ignored.
  case buffers([AudioBuffer])
  /// A stream of buffers, pulled on demand; it can be played only once.
  case stream(AsyncThrowingStream<AudioBuffer, any Error>)
  /// A preloaded sound.
  ///
  /// On its own device, the sound begins within a period; on other devices, it is played like
  /// `.buffers`.
  case preloaded(PreloadedSound)

  /// An asynchronous sequence of buffers, pulled on demand; it can be played only once.
  public static func sequence<Buffers: AsyncSequence & Sendable>(
    _ buffers: Buffers
  ) -> PlaybackSource where Buffers.Element: AudioBlock {
    // This is safe, because the player requests one buffer at a time.
    nonisolated(unsafe) var iterator = buffers.makeAsyncIterator()
    return .stream(AsyncThrowingStream { try await iterator.next()?.buffer })
  }
}

/// A number of repetitions, played without gaps.
public enum PlaybackRepetition: Hashable, Sendable {
  /// This many times, at least once.
  case times(Int)
  /// Until stopped.
  case forever

  /// Returns whether another repetition follows `repetition`, counted from 0.
  package func continues(after repetition: Int) -> Bool {
    switch self {
    case .times(let count): repetition + 1 < count
    case .forever: true
    }
  }
}

/// A decoded sound in the format of its open device; created by `AudioPlayerClient.preload`.
///
/// The device stays open while the sound exists. The sound can be played any number of times, even
/// concurrently.
public struct PreloadedSound: Sendable {
  /// The device, or nil for the default device.
  public let device: AudioDevice.ID?

  /// The decoded audio.
  public let buffers: [AudioBuffer]

  /// The object that keeps the device open.
  package let hold: (any Sendable)?

  /// The announced and decoded durations of a file that was too short; otherwise nil.
  package let shortfall: (announced: Duration?, decoded: Duration)?

  /// Creates a sound without an open device, for custom clients.
  public init(buffers: [AudioBuffer], device: AudioDevice.ID? = nil) {
    self.init(buffers: buffers, device: device, hold: nil)
  }

  package init(
    buffers: [AudioBuffer], device: AudioDevice.ID?, hold: (any Sendable)?,
    shortfall: (announced: Duration?, decoded: Duration)? = nil
  ) {
    self.buffers = buffers
    self.device = device
    self.hold = hold
    self.shortfall = shortfall
  }

  /// The duration.
  public var duration: Duration {
    guard let rate = buffers.first?.format.sampleRate,
      buffers.allSatisfy({ $0.format.sampleRate == rate })
    else { return buffers.reduce(.zero) { $0 + $1.duration } }
    return buffers.reduce(0) { $0 + $1.frameCount }.duration(at: rate)
  }
}
