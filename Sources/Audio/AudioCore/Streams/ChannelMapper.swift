/// Maps the channels of each buffer.
public struct ChannelMapper: AudioProcessor, Sendable {
  private let map: ChannelMap
  private var mix: (layout: ChannelLayout, mix: ChannelMix)?

  /// Creates a mapper.
  public init(_ map: ChannelMap) {
    self.map = map
  }

  /// Returns the buffer with its new channels.
  ///
  /// - Throws: `.tooFewChannels` if the map reads a missing channel.
  public mutating func process(_ buffer: AudioBuffer) throws(AudioStreamError) -> [AudioBuffer] {
    let mix = try mix(for: buffer.format)
    let format = AudioFormat(
      sampleRate: buffer.format.sampleRate, channelCount: mix.outputCount)
    return [buffer.with(mix.apply(buffer.samples), format: format)]
  }

  private mutating func mix(for format: AudioFormat) throws(AudioStreamError) -> ChannelMix {
    let layout = format.layout
    if let mix, mix.layout == layout { return mix.mix }
    guard format.channelCount >= map.neededChannels else {
      throw .tooFewChannels(needed: map.neededChannels, actual: format)
    }
    let mix = map.mix(from: layout)
    self.mix = (layout, mix)
    return mix
  }
}

extension AsyncSequence where Element: AudioBlock {
  /// Selects, reorders, duplicates, or mixes channels.
  ///
  /// ```swift
  /// stereo.channels(.channels([1, 0]))    // left and right swapped
  /// surround.channels(.count(2))          // mixed down
  /// ```
  ///
  /// Frames keep their indices and gaps.
  ///
  /// - Throws: the errors of this sequence, and `AudioStreamError.tooFewChannels` if a buffer lacks
  ///   a channel that the map reads.
  public func channels(
    _ map: ChannelMap
  ) -> ProcessedAudio<Self, ChannelMapper, any Error> {
    processed(by: ChannelMapper(map))
  }
}

/// A mapping of input channels to output channels.
public struct ChannelMap: Hashable, Sendable {
  private enum Rule: Hashable {
    case channels([Int])
    case count(Int)
    case gains([[Float]])
  }

  private let rule: Rule

  private init(_ rule: Rule) {
    self.rule = rule
  }

  /// Selects channels, counted from 0, in this order, with repetition allowed.
  ///
  /// `.channels([1])` is the right channel alone, `.channels([1, 0])` swaps left and right, and
  /// `.channels([0, 0])` duplicates a channel.
  public static func channels(_ indices: [Int]) -> ChannelMap {
    precondition(!indices.isEmpty, "a map has at least 1 channel")
    precondition(indices.allSatisfy { $0 >= 0 }, "channels are counted from 0, not \(indices)")
    return ChannelMap(.channels(indices))
  }

  /// Mixes to this number of channels at their usual positions, `ChannelLayout.wav`, as `Resampler`
  /// does.
  public static func count(_ count: Int) -> ChannelMap {
    precondition(count > 0, "a map has at least 1 channel, not \(count)")
    return ChannelMap(.count(count))
  }

  /// Mixes to one channel: the average of stereo, or a mix of more channels by their positions.
  public static let mono = ChannelMap.count(1)

  /// Mixes with a row of gains for each output.
  ///
  /// A row has a gain for each input; a shorter row excludes the other inputs.
  public static func gains(_ rows: [[Float]]) -> ChannelMap {
    precondition(!rows.isEmpty, "a map has at least 1 channel")
    return ChannelMap(.gains(rows))
  }

  /// The minimum number of channels that the audio must have.
  public var neededChannels: Int {
    switch rule {
    case .channels(let indices): 1 + (indices.max() ?? 0)
    case .count: 1
    case .gains(let rows): rows.map(\.count).max() ?? 0
    }
  }

  /// Returns the mix for audio with these channels, which must include those that the map reads.
  func mix(from input: ChannelLayout) -> ChannelMix {
    let inputCount = input.positions.count
    let rows: [[Float]]
    switch rule {
    case .count(let count): return ChannelMix(from: input, to: .wav(count))
    case .channels(let indices):
      rows = indices.map { index in (0..<inputCount).map { $0 == index ? 1 : 0 } }
    case .gains(let given):
      rows = given.map { $0 + repeatElement(0, count: inputCount - $0.count) }
    }
    return ChannelMix(rows: rows, inputCount: inputCount)
  }
}
