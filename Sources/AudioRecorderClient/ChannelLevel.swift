public import AudioCore

/// How loud one channel of a recording was.
public struct ChannelLevel: Hashable, Sendable {
  /// The highest sample of the stretch.
  public var peak: Decibels

  /// The root mean square of the stretch.
  public var rms: Decibels

  /// The highest peak of the last 1.5 seconds, so that a short one can be seen.
  public var heldPeak: Decibels

  /// How many samples of the recording so far were at full scale or beyond, as 16-bit samples are
  /// where something too loud was cut off.
  public var clippedSamples: Int

  /// Describes a channel.
  public init(
    peak: Decibels, rms: Decibels, heldPeak: Decibels? = nil, clippedSamples: Int = 0
  ) {
    self.peak = peak
    self.rms = rms
    self.heldPeak = heldPeak ?? peak
    self.clippedSamples = clippedSamples
  }
}
