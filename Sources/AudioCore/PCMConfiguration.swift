/// The configuration of an open device.
public struct PCMConfiguration: Hashable, Sendable {
  /// The device that was opened.
  public var device: AudioDevice.ID

  /// The format of the samples that are written or read.
  public var format: AudioFormat

  /// The sample format of the device; the PCM converts to and from Float32.
  public var sampleFormat: PCMSampleFormat

  /// The frames between two wake-ups.
  public var period: FrameCount

  /// The number of frames in the device's buffer.
  public var buffer: FrameCount

  /// The order of the device's channels; the PCM converts between it and the order of WAV files.
  public var channelLayout: ChannelLayout

  /// Creates a configuration, by default with channels in the order of WAV files.
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
  /// A one-line description for users: format, channels, samples, period, and buffer.
  public var description: String {
    "\(format) (\(channelLayout)), \(sampleFormat.rawValue), "
      + "\(period.rawValue) frames a period, \(buffer.rawValue) in the buffer"
  }
}

/// The sample format of a device, in the byte order of the machine.
public enum PCMSampleFormat: String, Hashable, Sendable, CaseIterable {
  /// 32-bit floating point, full scale ±1.
  case float32
  /// 32-bit integers.
  case int32
  /// 24-bit integers in the low three bytes of four.
  case int24
  /// 24-bit integers in three bytes, common for USB devices.
  case int24Packed
  /// 16-bit integers.
  case int16
}

/// Conversion of Float32 samples to integers: rounded to the nearest and limited, without dither.
///
/// Full scale is 2 to the power of bits − 1, so integers are restored exactly. NaN becomes silence.
package enum PCMSample {
  /// A sample as a 16-bit integer.
  @inlinable @inline(__always)
  package static func int16(_ sample: Float) -> Int16 {
    Int16(truncatingIfNeeded: whole(sample, scale: 0x1p15))
  }

  /// A sample as a 24-bit integer in the low bits of 32.
  @inlinable @inline(__always)
  package static func int24(_ sample: Float) -> Int32 { whole(sample, scale: 0x1p23) }

  /// A sample as a 32-bit integer.
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
  /// The samples as 16-bit integers without dither, for recognizers.
  package var inSixteenBits: [Int16] { map { PCMSample.int16($0) } }
}
