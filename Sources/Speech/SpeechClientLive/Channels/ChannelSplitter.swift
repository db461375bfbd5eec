import AudioCore

/// Divides audio into its channels, for recognizers that each get one channel.
///
/// A channel is skipped while it equals an earlier channel, so that a recording with equal channels
/// is recognized once. From the first difference on, it is never skipped again.
struct ChannelSplitter {
  /// The maximum number of channels, because each has a recognizer.
  static let limit = 16
  /// The audio over which channels are compared, and which a channel repeats when it begins to
  /// differ: enough for the pre-roll of an utterance, and for a detector's first estimate of the
  /// noise.
  private static let memory = Duration.seconds(1)
  /// The length of the pieces that are compared.
  private static let step = Duration.milliseconds(20)
  /// The duration of differing pieces in the recent audio from which channels differ; a click is
  /// shorter.
  private static let leastDifference = Duration.milliseconds(100)
  /// The power of the difference, relative to the loudest piece, up to which a piece is equal:
  /// -40 dB.
  private static let tolerance = 1e-4
  /// The power of the difference up to which a piece is always equal, because of the noise of
  /// converters: -70 dBFS.
  private static let floor = 1e-7

  /// The next audio of a channel, which is counted from 0.
  typealias Part = (channel: Int, buffer: AudioBuffer)

  /// An earlier channel that a skipped channel equals.
  private struct Twin {
    var channel: Int
    /// For each recent buffer, the duration in which the channels differ.
    var differences: [Duration]

    var differs: Bool { differences.reduce(.zero, +) >= ChannelSplitter.leastDifference }
  }

  /// The number of channels so far.
  private(set) var channelCount = 0
  /// The twins of the skipped channels.
  private var twins: [Int: Twin] = [:]
  /// The last second of audio, while a channel is skipped.
  private var recent: [AudioBuffer] = []
  /// The highest power of a piece, while a channel is skipped.
  private var loudest = 0.0

  /// Returns the audio of each channel that is not skipped, in the order of the channels.
  ///
  /// A channel of earlier audio that the buffer lacks is silent.
  ///
  /// - Throws: `.tooManyChannels`.
  mutating func split(_ buffer: AudioBuffer) throws(AudioStreamError) -> [Part] {
    let count = buffer.format.channelCount
    guard count <= Self.limit else {
      throw .tooManyChannels(limit: Self.limit, actual: buffer.format)
    }
    remember(buffer)
    for channel in channelCount..<max(channelCount, count) where channel > 0 {
      twins[channel] = Twin(channel: 0, differences: [])
    }
    channelCount = max(channelCount, count)
    var parts: [Part] = []
    for channel in 0..<channelCount {
      if let twin = twins[channel] {
        guard channel < count else { continue }
        twins[channel] = next(twin, of: channel, in: buffer)
        if twins[channel] == nil {
          parts += recent.map { (channel: channel, buffer: $0.only(channel)) }
        }
      } else {
        parts.append((channel, buffer.only(channel)))
      }
    }
    return parts
  }

  /// Adds a buffer to the recent audio.
  private mutating func remember(_ buffer: AudioBuffer) {
    if recent.last?.format != buffer.format {
      recent = []
      for channel in twins.keys { twins[channel]?.differences = [] }
    }
    recent.append(buffer)
    guard !twins.isEmpty || buffer.format.channelCount > channelCount else {
      return recent = [buffer]
    }
    while recent.dropFirst().dropLast().reduce(.zero, { $0 + $1.duration }) >= Self.memory {
      recent.removeFirst()
      for channel in twins.keys where twins[channel]?.differences.isEmpty == false {
        twins[channel]?.differences.removeFirst()
      }
    }
    loudest = buffer.slices(of: Self.step).map(\.power).filter(\.isFinite).reduce(loudest, max)
  }

  /// Returns the twin of a skipped channel after the newest buffer; nil if the channel now differs
  /// from all others.
  private func next(_ twin: Twin, of channel: Int, in buffer: AudioBuffer) -> Twin? {
    var twin = twin
    twin.differences.append(difference(of: channel, from: twin.channel, in: buffer))
    if !twin.differs { return twin }
    for other in 0..<channel where twins[other] == nil {
      let differences = recent.map { difference(of: channel, from: other, in: $0) }
      let twin = Twin(channel: other, differences: differences)
      if !twin.differs { return twin }
    }
    return nil
  }

  /// Returns the duration in which two channels of a buffer differ.
  private func difference(of one: Int, from other: Int, in buffer: AudioBuffer) -> Duration {
    let limit = max(Self.floor, Self.tolerance * loudest)
    return buffer.slices(of: Self.step).filter { $0.power(of: one, minus: other) > limit }
      .reduce(.zero) { $0 + $1.duration }
  }
}

extension AudioBuffer {
  /// Returns one channel, counted from 0, which is silent if the buffer lacks it.
  ///
  /// The first channel gets the number of silenced samples.
  fileprivate func only(_ index: Int) -> AudioBuffer {
    let mono = AudioFormat(sampleRate: format.sampleRate, channelCount: 1)
    guard index < format.channelCount else {
      return AudioBuffer(silence: frameCount, format: mono, firstFrame: firstFrame)
    }
    guard format.channelCount > 1 else { return self }
    var only = with(channel(index), format: mono)
    if index > 0 { only.silencedSampleCount = 0 }
    return only
  }

  /// The mean square of all samples.
  fileprivate var power: Double {
    samples.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, samples.count))
  }

  /// Returns the mean square of the difference of two channels.
  fileprivate func power(of one: Int, minus other: Int) -> Double {
    var energy = 0.0
    for frame in stride(from: 0, to: samples.count, by: format.channelCount) {
      let difference = Double(samples[frame + one]) - Double(samples[frame + other])
      energy += difference * difference
    }
    return energy / Double(max(1, frameCount.rawValue))
  }
}
