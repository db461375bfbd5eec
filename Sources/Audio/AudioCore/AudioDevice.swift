/// A device that plays or captures audio.
public struct AudioDevice: Hashable, Sendable, Identifiable {
  /// A device's name in its sound system; the name does not depend on which other devices exist.
  public struct ID: Hashable, Codable, Sendable, RawRepresentable, ExpressibleByStringLiteral {
    /// The name: `default`, `hw:CARD=PCH,DEV=0`, `virtual`.
    public let rawValue: String

    /// Creates a name without checking whether the device exists.
    public init(rawValue: String) {
      self.rawValue = rawValue
    }

    /// The literal is the name.
    public init(stringLiteral value: String) {
      self.init(rawValue: value)
    }
  }

  /// The direction of a device's audio.
  public enum Direction: String, Hashable, Sendable, CaseIterable {
    /// Playback to a loudspeaker.
    case playback
    /// Capture from a microphone.
    case capture
  }

  /// The name that opens the device.
  public let id: ID

  /// The human-readable name.
  public let name: String

  /// Whether the device plays, captures, or both.
  public let directions: Set<Direction>

  /// Whether a request that names no device opens this device.
  public let isDefault: Bool

  /// Whether the device exists only in this process, without hardware.
  public let isVirtual: Bool

  /// Describes a device.
  public init(
    id: ID, name: String, directions: Set<Direction>, isDefault: Bool = false,
    isVirtual: Bool = false
  ) {
    self.id = id
    self.name = name
    self.directions = directions
    self.isDefault = isDefault
    self.isVirtual = isVirtual
  }
}

extension AudioDevice.ID: CustomStringConvertible {
  /// The device's name.
  public var description: String { rawValue }
}

/// The response to the loss of a device during playback or capture.
///
/// A lost device was unplugged, or its sound server ended or stopped responding. More cases may be
/// added, so a `switch` needs a `default`.
public enum DeviceLossPolicy: Hashable, Sendable {
  /// Ends with an error: at once if the device is unplugged or its server ends; after
  /// `PCMConfiguration.patience` if the device stops moving frames or responding; after five
  /// seconds if it never moved a frame.
  case fail
  /// Continues if the device returns within this time after the loss; otherwise ends with the same
  /// error as `fail`.
  ///
  /// The device is opened again when the system reports a device change, and after 1, 2, 4, and
  /// then every 5 seconds. A device that another process has open counts as still lost. A device
  /// that hangs is opened again in the same way, even if a call on the old handle has not returned.
  case wait(atMost: Duration)
}

/// The configuration of an open device.
public struct PCMConfiguration: Hashable, Sendable {
  /// The device that was opened.
  public var device: AudioDevice.ID

  /// The format of the samples that are written or read.
  public var format: AudioFormat

  /// The sample format of the device, which is converted to and from Float32.
  public var sampleFormat: PCMSampleFormat

  /// The number of frames between two wake-ups.
  public var period: FrameCount

  /// The number of frames in the device's buffer.
  public var buffer: FrameCount

  /// The order of the device's channels, which is converted to and from the order of WAV files.
  public var channelLayout: ChannelLayout

  /// The time after which a running device counts as lost if it moves no frames or a call does not
  /// return.
  ///
  /// It is 0.75 s for a sound card. It is 5 s for a sound server, because a server pauses its
  /// streams when it suspends a card or moves streams to another card.
  public var patience: Duration

  /// The time after which a stalled sound card counts as lost.
  package static let cardPatience = Duration.milliseconds(750)
  /// The time after which a stalled sound server counts as lost.
  package static let serverPatience = Duration.seconds(5)

  /// Creates a configuration.
  ///
  /// By default, `channelLayout` is the order of WAV files, and `patience` is that of a sound card.
  public init(
    device: AudioDevice.ID, format: AudioFormat, sampleFormat: PCMSampleFormat,
    period: FrameCount, buffer: FrameCount, channelLayout: ChannelLayout? = nil,
    patience: Duration = .milliseconds(750)
  ) {
    self.device = device
    self.format = format
    self.sampleFormat = sampleFormat
    self.period = period
    self.buffer = buffer
    self.channelLayout = channelLayout ?? .wav(format.channelCount)
    self.patience = patience
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
