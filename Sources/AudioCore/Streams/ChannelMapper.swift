/// Makes of each buffer one with the channels of a map.
public struct ChannelMapper: AudioProcessor, Sendable {
  private let map: ChannelMap
  private var mix: (layout: ChannelLayout, mix: ChannelMix)?

  /// A machine for one map.
  public init(_ map: ChannelMap) {
    self.map = map
  }

  /// Gives the buffer with its new channels.
  ///
  /// - Throws: `.tooFewChannels` where the map reads a channel that the buffer does not have.
  public mutating func take(_ buffer: AudioBuffer) throws(AudioStreamError) -> [AudioBuffer] {
    let mix = try mix(for: buffer.format)
    let format = AudioFormat(
      sampleRate: buffer.format.sampleRate, channelCount: mix.outputCount)
    return [
      AudioBuffer(
        format: format, samples: mix.apply(buffer.samples), firstFrame: buffer.firstFrame)
    ]
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

extension AsyncSequence where Element == AudioBuffer {
  /// The same frames with other channels: selected, reordered, doubled or mixed.
  ///
  /// ```swift
  /// stereo.channels(.channels([1, 0]))    // left and right swapped
  /// surround.channels(.count(2))          // mixed down
  /// ```
  ///
  /// Frames keep their indices and gaps. - Throws: the errors of this sequence, and
  /// `AudioStreamError.tooFewChannels` at a buffer that lacks a channel which the map reads.
  public func channels(
    _ map: ChannelMap
  ) -> ThrowingProcessedAudio<Self, ChannelMapper> {
    processed(by: ChannelMapper(map))
  }
}

/// Which channels of the audio become which.
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

  /// These channels, counted from 0, in this order; one may be taken several times.
  ///
  /// `.channels([1])` is the right channel alone, `.channels([1, 0])` swaps left and right, and
  /// `.channels([0, 0])` makes two of a single one.
  public static func channels(_ indices: [Int]) -> ChannelMap {
    precondition(!indices.isEmpty, "a map has at least 1 channel")
    precondition(indices.allSatisfy { $0 >= 0 }, "channels are counted from 0, not \(indices)")
    return ChannelMap(.channels(indices))
  }

  /// As many channels at their usual positions, `ChannelLayout.wav`, mixed as `Resampler` does it.
  public static func count(_ count: Int) -> ChannelMap {
    precondition(count > 0, "a map has at least 1 channel, not \(count)")
    return ChannelMap(.count(count))
  }

  /// One channel: of stereo the average, of more a mix by their positions.
  public static let mono = ChannelMap.count(1)

  /// A row of gains for each channel that comes out, one gain for each that goes in; a row that is
  /// shorter leaves the other channels out.
  public static func gains(_ rows: [[Float]]) -> ChannelMap {
    precondition(!rows.isEmpty, "a map has at least 1 channel")
    return ChannelMap(.gains(rows))
  }

  /// The channels that the audio must have at least.
  public var neededChannels: Int {
    switch rule {
    case .channels(let indices): 1 + (indices.max() ?? 0)
    case .count: 1
    case .gains(let rows): rows.map(\.count).max() ?? 0
    }
  }

  /// The mix for audio with these channels, at least those that are needed.
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
