import AudioCore

/// Divides audio into its channels, for recognizers that each get one channel.
///
/// A channel that equals an earlier channel is left out until the two differ, so that a recording
/// with equal channels is recognized once.
struct ChannelSplitter {
  /// The maximum number of channels, because each has a recognizer.
  static let limit = 16
  /// The audio that a channel repeats when it begins to differ from the others: enough for the
  /// pre-roll of an utterance, and for a detector's first estimate of the noise.
  private static let memory = Duration.seconds(1)
  /// The maximum difference of equal samples: the rounding to 16 bits.
  private static let tolerance: Float = 2 / 32_768

  /// The next audio of a channel, which is counted from 0.
  typealias Part = (channel: Int, buffers: [AudioBuffer])

  /// For each channel, the earlier channels that it has equaled since the beginning.
  private var twins: [[Int]] = []
  /// The last second of audio, while a channel is left out.
  private var recent: [AudioBuffer] = []

  /// Returns the audio of each channel that is not left out, in the order of the channels.
  ///
  /// - Throws: `.tooManyChannels`, or `.tooFewChannels` if a channel of earlier audio is missing.
  mutating func split(_ buffer: AudioBuffer) throws(AudioStreamError) -> [Part] {
    let count = buffer.format.channelCount
    guard count <= Self.limit else {
      throw .tooManyChannels(limit: Self.limit, actual: buffer.format)
    }
    guard count >= twins.count else {
      throw .tooFewChannels(needed: twins.count, actual: buffer.format)
    }
    if recent.last?.format != buffer.format { recent = [] }
    while twins.count < count { twins.append(Array(0..<twins.count)) }
    let buffers = (0..<count).map(buffer.only)
    let parts = buffers.indices.compactMap { channel -> Part? in
      guard channel > 0, !twins[channel].isEmpty else { return (channel, [buffers[channel]]) }
      twins[channel].removeAll {
        !buffers[$0].samples.equals(buffers[channel].samples, within: Self.tolerance)
      }
      guard twins[channel].isEmpty else { return nil }
      return (channel, recent.map { $0.only(channel) } + [buffers[channel]])
    }
    remember(buffer, isNeeded: parts.count < count)
    return parts
  }

  private mutating func remember(_ buffer: AudioBuffer, isNeeded: Bool) {
    guard isNeeded else { return recent = [] }
    recent.append(buffer)
    while recent.dropFirst().reduce(.zero, { $0 + $1.duration }) >= Self.memory {
      recent.removeFirst()
    }
  }
}

extension AudioBuffer {
  /// Returns one channel, counted from 0; the first channel gets the number of silenced samples.
  fileprivate func only(_ index: Int) -> AudioBuffer {
    guard format.channelCount > 1 else { return self }
    let mono = AudioFormat(sampleRate: format.sampleRate, channelCount: 1)
    var only = with(channel(index), format: mono)
    if index > 0 { only.silencedSampleCount = 0 }
    return only
  }
}

extension [Float] {
  fileprivate func equals(_ other: [Float], within tolerance: Float) -> Bool {
    zip(self, other).allSatisfy { abs($0 - $1) <= tolerance }
  }
}
