/// What an open device settled on.
public struct PCMConfiguration: Hashable, Sendable {
  /// The device that was opened.
  public var device: AudioDevice.ID

  /// Its rate and channels; what is written or read has this format.
  public var format: AudioFormat

  /// How the device itself stores a sample; the PCM converts to and from Float32.
  public var sampleFormat: PCMSampleFormat

  /// The frames between two wake-ups.
  public var period: FrameCount

  /// The frames that the device's buffer holds.
  public var buffer: FrameCount

  /// The order of the device's own channels; the PCM converts to and from that of WAV files, which
  /// is what is written or read.
  public var channelLayout: ChannelLayout

  /// Describes an open device, by default with its channels in the order of WAV files.
  public init(
    device: AudioDevice.ID, format: AudioFormat, sampleFormat: PCMSampleFormat,
    period: FrameCount, buffer: FrameCount, channelLayout: ChannelLayout? = nil
  ) {
    self.device = device
    self.format = format
    self.sampleFormat = sampleFormat
    self.period = period
    self.buffer = buffer
    self.channelLayout = channelLayout ?? .wav(format.channelCount)
  }
}

extension PCMConfiguration: CustomStringConvertible {
  /// Everything in one line, for people: format, channels, samples, period and buffer.
  public var description: String {
    "\(format) (\(channelLayout)), \(sampleFormat.rawValue), "
      + "\(period.rawValue) frames a period, \(buffer.rawValue) in the buffer"
  }
}

/// How a device stores a sample, all of them in the byte order of the machine.
public enum PCMSampleFormat: String, Hashable, Sendable, CaseIterable {
  /// 32-bit floating point, full scale ±1.
  case float32
  /// 32-bit integers.
  case int32
  /// 24-bit integers in the low three bytes of four.
  case int24
  /// 24-bit integers in three bytes, as most USB cards have them.
  case int24Packed
  /// 16-bit integers.
  case int16
}
