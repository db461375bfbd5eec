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

  /// The layout if it differs from the usual layout; nil in the common case, so that copies need no
  /// reference counting.
  private var unusualLayout: ChannelLayout?

  /// Creates a format with the usual positions of `ChannelLayout.wav`; `channelCount` is at least
  /// 1.
  public init(sampleRate: SampleRate, channelCount: Int) {
    precondition(channelCount > 0, "a format has at least 1 channel, not \(channelCount)")
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// Creates a format with the positions of `layout`, such as those in a file's header.
  ///
  /// The positions must be in the order of WAV files.
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

/// The positions of a format's channels, in the order of their samples.
public struct ChannelLayout: Hashable, Sendable {
  /// A position for each channel, at least one.
  public let positions: [ChannelPosition]

  /// Creates a layout; `positions` must not be empty.
  public init(_ positions: [ChannelPosition]) {
    precondition(!positions.isEmpty, "a layout has at least 1 channel")
    self.positions = positions
  }

  /// Returns the usual layout for a number of channels.
  ///
  /// The channels are in the order of WAV files, as in every `AudioBuffer`: 5.1 is front left,
  /// front right, center, low frequency, rear left, rear right. Beyond 8 channels the positions are
  /// unknown. `channelCount` must be at least 1.
  public static func wav(_ channelCount: Int) -> ChannelLayout {
    let front: [ChannelPosition] = [.frontLeft, .frontRight]
    let rear: [ChannelPosition] = [.rearLeft, .rearRight]
    let side: [ChannelPosition] = [.sideLeft, .sideRight]
    let positions: [ChannelPosition] =
      switch channelCount {
      case 1: [.mono]
      case 2: front
      case 3: front + [.frontCenter]
      case 4: front + rear
      case 5: front + [.frontCenter] + rear
      case 6: front + [.frontCenter, .lowFrequency] + rear
      case 7: front + [.frontCenter, .lowFrequency, .rearCenter] + side
      case 8: front + [.frontCenter, .lowFrequency] + rear + side
      default: Array(repeating: .unknown, count: channelCount)
      }
    return ChannelLayout(positions)
  }
}

extension ChannelLayout {
  /// The channels in the order of WAV files; channels with unknown positions come last.
  package var inWAVOrder: ChannelLayout {
    ChannelLayout(positions.sorted { ($0.wavBit ?? .max) < ($1.wavBit ?? .max) })
  }

  /// The channel mask of these positions in a WAV file's header; 0 if a position is unknown.
  package var wavMask: UInt32 {
    let bits = positions.compactMap(\.wavBit)
    guard bits.count == positions.count else { return 0 }
    return bits.reduce(0) { $0 | 1 << UInt32($1) }
  }
}

extension ChannelLayout: CustomStringConvertible {
  /// The abbreviations that ALSA and other programs use: `FL FR FC LFE RL RR`.
  public var description: String {
    positions.map(\.abbreviation).joined(separator: " ")
  }
}

extension ChannelPosition {
  /// The abbreviation that ALSA and other programs use; `?` for an unknown position.
  public var abbreviation: String {
    switch self {
    case .mono: "MONO"
    case .frontLeft: "FL"
    case .frontRight: "FR"
    case .frontCenter: "FC"
    case .lowFrequency: "LFE"
    case .rearLeft: "RL"
    case .rearRight: "RR"
    case .rearCenter: "RC"
    case .sideLeft: "SL"
    case .sideRight: "SR"
    case .silent: "NA"
    case .unknown: "?"
    }
  }
}

extension ChannelPosition {
  /// The position's bit in a WAV file's channel mask; nil if it has none.
  fileprivate var wavBit: Int? {
    switch self {
    case .frontLeft: 0
    case .frontRight: 1
    case .frontCenter, .mono: 2
    case .lowFrequency: 3
    case .rearLeft: 4
    case .rearRight: 5
    case .rearCenter: 8
    case .sideLeft: 9
    case .sideRight: 10
    case .silent, .unknown: nil
    }
  }
}

/// The position of a channel's loudspeaker or microphone, from the listener's view.
public enum ChannelPosition: String, Hashable, Sendable, CaseIterable {
  /// The only channel.
  case mono
  /// In front, to the left.
  case frontLeft
  /// In front, to the right.
  case frontRight
  /// In front, between left and right.
  case frontCenter
  /// The subwoofer.
  case lowFrequency
  /// Behind, to the left.
  case rearLeft
  /// Behind, to the right.
  case rearRight
  /// Directly behind.
  case rearCenter
  /// At the left side.
  case sideLeft
  /// At the right side.
  case sideRight
  /// A silent channel without a loudspeaker.
  case silent
  /// Another or unknown position.
  case unknown
}
