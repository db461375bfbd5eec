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
