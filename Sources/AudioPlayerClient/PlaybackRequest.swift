public import AudioCore
public import Foundation

/// What to play, on what, and how.
public struct PlaybackRequest: Sendable {
  /// Where the audio comes from.
  public var source: PlaybackSource

  /// The device, or nil for the default one.
  public var device: AudioDevice.ID?

  /// The volume of this sound, 0…1; it is multiplied with the client's.
  public var volume: Float

  /// How often it is played.
  public var repetition: PlaybackRepetition

  /// A request that plays `source` once on the default device, unless it says otherwise.
  public init(
    source: PlaybackSource, device: AudioDevice.ID? = nil, volume: Float = 1,
    repetition: PlaybackRepetition = .times(1)
  ) {
    self.source = source
    self.device = device
    self.volume = volume
    self.repetition = repetition
  }
}

/// Where the audio of a playback comes from.
public enum PlaybackSource: Sendable {
  /// A file in any format that libsndfile reads.
  case file(URL)
  /// Buffers in memory, one after the other, whatever their formats; their `firstFrame` does not
  /// matter.
  case buffers([AudioBuffer])
  /// Buffers as they come, pulled as they are needed; it can be played once only.
  case stream(AsyncThrowingStream<AudioBuffer, any Error>)
}

/// How often a playback is played; the repetitions join without a gap.
public enum PlaybackRepetition: Hashable, Sendable {
  /// That many times, at least once.
  case times(Int)
  /// Until it is stopped.
  case forever
}
