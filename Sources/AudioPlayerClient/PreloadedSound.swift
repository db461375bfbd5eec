public import AudioCore

/// A sound that is decoded, in its device's format, and the device open for it; made by
/// `AudioPlayerClient.preload`.
///
/// As long as it lives, the device stays open. It can be played any number of times, several at a
/// time.
public struct PreloadedSound: Sendable {
  /// The device that it was loaded for, nil for the default one.
  public let device: AudioDevice.ID?

  /// All of it, one buffer after the other.
  public let buffers: [AudioBuffer]

  /// What keeps the device open.
  package let hold: (any Sendable)?

  /// What the file announced and did not hold; nil where it was complete.
  package let shortfall: (announced: Duration?, decoded: Duration)?

  /// A sound of these buffers, for which no device is open: for a client of one's own.
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

  /// How long it lasts.
  public var duration: Duration {
    guard let rate = buffers.first?.format.sampleRate,
      buffers.allSatisfy({ $0.format.sampleRate == rate })
    else { return buffers.reduce(.zero) { $0 + $1.duration } }
    return buffers.reduce(0) { $0 + $1.frameCount }.duration(at: rate)
  }
}
