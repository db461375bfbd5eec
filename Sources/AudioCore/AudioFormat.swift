/// What the samples of a buffer mean: how many frames a second, and how many channels each has.
///
/// Samples are always Float32, interleaved, with full scale at ±1.
public struct AudioFormat: Hashable, Sendable {
  /// Frames per second.
  public var sampleRate: SampleRate

  /// Samples in each frame, at least 1.
  ///
  /// Setting it gives the channels the usual positions for so many.
  public var channelCount: Int {
    didSet { unusualLayout = nil }
  }

  /// Nil for the usual one, which most formats have: copies then count no references.
  private var unusualLayout: ChannelLayout?

  /// A format with the usual positions, `ChannelLayout.wav`; `channelCount` must be at least 1.
  public init(sampleRate: SampleRate, channelCount: Int) {
    precondition(channelCount > 0, "a format has at least 1 channel, not \(channelCount)")
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// A format with other positions, for example those that a file's header names.
  ///
  /// They must be in the order of WAV files.
  package init(sampleRate: SampleRate, layout: ChannelLayout) {
    self.init(sampleRate: sampleRate, channelCount: layout.positions.count)
    unusualLayout = layout == .wav(channelCount) ? nil : layout
  }

  /// The positions of the channels, in the order of WAV files: left, right, center and so on.
  public var layout: ChannelLayout { unusualLayout ?? .wav(channelCount) }

  /// 16 kHz mono, what speech recognizers take.
  public static let speech = AudioFormat(sampleRate: .speech, channelCount: 1)
}

extension AudioFormat: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    if let unusualLayout { return "\(sampleRate), channels \(unusualLayout)" }
    return switch channelCount {
    case 1: "\(sampleRate), mono"
    case 2: "\(sampleRate), stereo"
    default: "\(sampleRate), \(channelCount) channels"
    }
  }
}

/// Frames per second.
public struct SampleRate: Hashable, Comparable, Sendable {
  /// The rate in hertz, above zero.
  public let hertz: Int

  /// A rate in hertz; it must be above zero.
  public init(hertz: Int) {
    precondition(hertz > 0, "a sample rate is above 0 Hz, not \(hertz) Hz")
    self.hertz = hertz
  }

  /// 16 kHz, what speech recognizers work at.
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
  /// A short text for people.
  public var description: String { "\(hertz) Hz" }
}
