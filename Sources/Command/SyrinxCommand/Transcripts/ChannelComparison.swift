import AudioCore

/// Compares the two channels of a file's first minute, to find recordings with a speaker in each
/// channel.
struct ChannelComparison {
  private static let length = Duration.seconds(60)
  /// The shortest audio that is compared.
  private static let shortest = Duration.seconds(2)
  /// The least RMS level of each channel: -60 dBFS.
  private static let leastPower = 1e-6
  /// The correlation below which channels differ.
  ///
  /// The voices of a call are not correlated. Music, and two microphones in one room, usually are.
  private static let mostCorrelation = 0.2

  private var (left, right, product) = (0.0, 0.0, 0.0)
  private var frameCount = 0
  private var length = Duration.zero
  /// Whether the audio has two channels in all buffers so far.
  private var isStereo = true

  /// Whether more audio does not change the comparison.
  var isComplete: Bool { !isStereo || length >= Self.length }

  /// Whether both channels have sound, and different sound.
  var differs: Bool {
    guard isStereo, length >= Self.shortest else { return false }
    let powers = (left / Double(frameCount), right / Double(frameCount))
    return min(powers.0, powers.1) >= Self.leastPower
      && abs(product) < Self.mostCorrelation * (left * right).squareRoot()
  }

  /// Adds the next audio.
  mutating func add(_ buffer: AudioBuffer) {
    guard !isComplete else { return }
    isStereo = buffer.format.channelCount == 2
    guard isStereo else { return }
    let samples = buffer.samples
    for index in stride(from: 0, to: samples.count, by: 2) {
      let (one, other) = (Double(samples[index]), Double(samples[index + 1]))
      left += one * one
      right += other * other
      product += one * other
    }
    frameCount += buffer.frameCount.rawValue
    length += buffer.duration
  }
}
