/// The sample rate and channels of audio.
///
/// Samples are always Float32, interleaved, with full scale at ±1.
public struct AudioFormat: Hashable, Sendable {
  /// Frames per second.
  public var sampleRate: SampleRate

  /// The number of samples in each frame, at least 1.
  ///
  /// Setting it resets the channels to their usual positions.
  public var channelCount: Int {
    didSet { unusualLayout = nil }
  }

  /// The unusual layout; nil, the common case, saves reference counting in copies.
  private var unusualLayout: ChannelLayout?

  /// Creates a format with the usual positions of `ChannelLayout.wav`; `channelCount` is at least
  /// 1.
  public init(sampleRate: SampleRate, channelCount: Int) {
    precondition(channelCount > 0, "a format has at least 1 channel, not \(channelCount)")
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// Creates a format with other positions, such as those in a file's header.
  ///
  /// They must be in the order of WAV files.
  package init(sampleRate: SampleRate, layout: ChannelLayout) {
    self.init(sampleRate: sampleRate, channelCount: layout.positions.count)
    unusualLayout = layout == .wav(channelCount) ? nil : layout
  }

  /// The positions of the channels, in the order of WAV files: left, right, center, and so on.
  public var layout: ChannelLayout { unusualLayout ?? .wav(channelCount) }

  /// 16 kHz mono, the format of speech recognizers.
  public static let speech = AudioFormat(sampleRate: .speech, channelCount: 1)
}

extension AudioFormat: CustomStringConvertible {
  /// A short description for users.
  public var description: String {
    if let unusualLayout { return "\(sampleRate), channels \(unusualLayout)" }
    return switch channelCount {
    case 1: "\(sampleRate), mono"
    case 2: "\(sampleRate), stereo"
    default: "\(sampleRate), \(channelCount) channels"
    }
  }
}

/// A number of frames per second.
public struct SampleRate: Hashable, Comparable, Sendable {
  /// The rate in hertz, above zero.
  public let hertz: Int

  /// Creates a rate in hertz, which must be above zero.
  public init(hertz: Int) {
    precondition(hertz > 0, "a sample rate is above 0 Hz, not \(hertz) Hz")
    self.hertz = hertz
  }

  /// 16 kHz, the rate of speech recognizers.
  public static let speech = SampleRate(hertz: 16_000)

  /// Orders from low to high.
  public static func < (lhs: Self, rhs: Self) -> Bool { lhs.hertz < rhs.hertz }
}

extension SampleRate: ExpressibleByIntegerLiteral {
  /// The literal is in hertz.
  public init(integerLiteral value: Int) {
    self.init(hertz: value)
  }
}

extension SampleRate: CustomStringConvertible {
  /// A short description for users.
  public var description: String { "\(hertz) Hz" }
}
