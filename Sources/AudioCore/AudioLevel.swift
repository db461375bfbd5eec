/// How loud a stretch of audio is: its highest sample and its root mean square.
public struct AudioLevel: Hashable, Sendable {
  /// The level of the sample farthest from zero.
  public var peak: Decibels

  /// The level of the root mean square of all samples; a full-scale sine has −3 dBFS.
  public var rms: Decibels

  /// A level from its two figures.
  public init(peak: Decibels, rms: Decibels) {
    self.peak = peak
    self.rms = rms
  }

  /// Digital silence.
  public static let silence = AudioLevel(peak: .silence, rms: .silence)
}

extension AudioBuffer {
  /// The level over all channels of this buffer; of an empty one, silence.
  public var level: AudioLevel {
    var meter = AudioMeter()
    meter.add(samples)
    return meter.level
  }
}
