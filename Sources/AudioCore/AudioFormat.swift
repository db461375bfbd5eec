/// What the samples of a buffer mean: how many frames a second, and how many channels each has.
///
/// Samples are always Float32, interleaved, with full scale at ±1.
public struct AudioFormat: Hashable, Sendable {
  /// Frames per second.
  public var sampleRate: SampleRate

  /// Samples in each frame, at least 1, in the order of WAV files: left, right,
  /// and `ChannelLayout.wav` tells the rest.
  public var channelCount: Int

  /// A format; `channelCount` must be at least 1.
  public init(sampleRate: SampleRate, channelCount: Int) {
    precondition(channelCount > 0, "a format has at least 1 channel, not \(channelCount)")
    self.sampleRate = sampleRate
    self.channelCount = channelCount
  }

  /// 16 kHz mono, what speech recognisers take.
  public static let speech = AudioFormat(sampleRate: .speech, channelCount: 1)
}

extension AudioFormat: CustomStringConvertible {
  /// A short text for people.
  public var description: String {
    switch channelCount {
    case 1: "\(sampleRate), mono"
    case 2: "\(sampleRate), stereo"
    default: "\(sampleRate), \(channelCount) channels"
    }
  }
}
