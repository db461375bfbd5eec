public import AudioCore

/// A decoded sound in its device's format, with the device open; made by
/// `AudioPlayerClient.preload`.
///
/// The device stays open while the sound exists. The sound can be played any number of times, also
/// concurrently.
public struct PreloadedSound: Sendable {
  /// The device, or nil for the default one.
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
