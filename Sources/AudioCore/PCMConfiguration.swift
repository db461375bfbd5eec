/// The configuration of an open device.
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

/// Float32 samples as whole numbers: rounded to the nearest, limited to full scale, without dither.
///
/// Full scale is 2 to the power of bits − 1, so that whole numbers come back as they were. What is
/// not a number becomes silence.
package enum PCMSample {
  /// A sample in 16 bits.
  @inlinable @inline(__always)
  package static func int16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: whole(sample, scale: 0x1p15))
  }

  /// A sample in 24 bits, at the lower end of 32.
  @inlinable @inline(__always)
  package static func int24(_ sample: Float) -> Int32 { whole(sample, scale: 0x1p23) }

  /// A sample in 32 bits.
  @inlinable @inline(__always)
  package static func int32(_ sample: Float) -> Int32 { whole(sample, scale: 0x1p31) }

  /// The nearest integer to `sample` × `scale`, from −scale to below scale.
  @inlinable @inline(__always)
  package static func whole(_ sample: Float, scale: Float) -> Int32 {
    let scaled = (sample * scale).rounded(.toNearestOrEven)
    if scaled >= scale { return Int32(bitPattern: UInt32(scale) &- 1) }
    if scaled >= -scale { return Int32(scaled) }
    return scaled.isNaN ? 0 : Int32(-scale)
  }
}

extension [Float] {
  /// The samples in 16 bits, without dither: for recognizers, not for ears.
  package var inSixteenBits: [Int16] { map { PCMSample.int16($0) } }
}
