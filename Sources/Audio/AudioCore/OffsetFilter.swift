/// Removes the constant offset (DC) that cheap sound cards add, for measurements of the level.
///
/// It is a high-pass filter at 20 Hz.
package struct OffsetFilter: Sendable {
  private static let cutoff = 20.0
  /// The lowest sample rate, in hertz, at which the filter is used.
  private static let lowestRate = 400
  /// The duration of the first samples, whose mean is the initial offset.
  private static let start = Duration.milliseconds(5)
  /// The duration from which a run of zeros counts as a gap: half a period at the cutoff.
  private static let gap = Duration.milliseconds(25)

  /// The state of each channel; empty before the first buffer.
  ///
  /// `count` is the number of samples in the initial mean. `earlier` is the offset before the
  /// current run of zeros.
  private var channels: [(offset: Double, count: Int, zeroCount: Int, earlier: Double)] = []

  package init() {}

  /// Returns the buffer with the offset subtracted from each sample, unless that makes the sample
  /// louder.
  ///
  /// A constant offset without other audio becomes silence. Silence after a sound stays silent. NaN
  /// and infinite samples are unchanged.
  package mutating func levels(of buffer: AudioBuffer) -> AudioBuffer {
    let rate = buffer.format.sampleRate
    guard rate.hertz >= Self.lowestRate, !buffer.isEmpty else { return buffer }
    let channelCount = buffer.format.channelCount
    if channels.count != channelCount {
      channels = Array(
        repeating: (offset: 0, count: 0, zeroCount: 0, earlier: 0), count: channelCount)
    }
    let (start, gap) = (
      FrameCount(Self.start, at: rate).rawValue, FrameCount(Self.gap, at: rate).rawValue
    )
    let usualShare = 1 - exponential(-2 * .pi * Self.cutoff / Double(rate.hertz))
    var samples = buffer.samples
    for (channel, var state) in channels.enumerated() {
      let indices = stride(from: channel, to: samples.count, by: channelCount)
      if state.count < start {
        for index in indices where samples[index].isFinite {
          state.count += 1
          state.offset += (Double(samples[index]) - state.offset) / Double(state.count)
        }
      }
      let share = state.count < start ? 0 : usualShare
      for index in indices where samples[index].isFinite {
        let sample = Double(samples[index])
        if sample == 0 {
          if state.zeroCount == 0 { state.earlier = state.offset }
          state.zeroCount += 1
        } else {
          // The zeros replaced lost audio, so the earlier offset applies again.
          if state.zeroCount >= gap { state.offset = state.earlier }
          state.zeroCount = 0
        }
        let distance = sample - state.offset
        state.offset += share * distance
        if abs(distance) < abs(sample) { samples[index] = Float(distance) }
      }
      channels[channel] = state
    }
    return AudioBuffer(format: buffer.format, samples: samples, firstFrame: buffer.firstFrame)
  }

  /// Resets the offset before audio that does not continue the last buffer.
  package mutating func reset() {
    channels = []
  }
}
