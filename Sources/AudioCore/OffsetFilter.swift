/// The level of audio without its constant offset (DC), which cheap sound cards add.
///
/// The offset is what a high-pass at 20 Hz removes.
package struct OffsetFilter: Sendable {
  private static let cutoff = 20.0
  /// Slower signals have nothing above the cutoff.
  private static let slowestRate = 400
  /// The duration of the first buffer from which its mean is the first offset.
  private static let shortestStart = Duration.milliseconds(5)

  /// The offset of each channel; empty before the first buffer.
  private var offsets: [Double] = []

  package init() {}

  /// Returns the samples at their level: each as it is, or without the offset if that is lower.
  ///
  /// An offset alone has no level, and silence after a sound has none either, because a sample never
  /// gets louder. NaN and infinite samples stay.
  package mutating func levels(of buffer: AudioBuffer) -> AudioBuffer {
    guard buffer.format.sampleRate.hertz >= Self.slowestRate, !buffer.isEmpty else { return buffer }
    if offsets.count != buffer.format.channelCount { start(with: buffer) }
    let share = 1 - exponential(-2 * .pi * Self.cutoff / Double(buffer.format.sampleRate.hertz))
    var samples = buffer.samples
    for (channel, var offset) in offsets.enumerated() {
      for index in stride(from: channel, to: samples.count, by: offsets.count) {
        let sample = Double(samples[index])
        guard sample.isFinite else { continue }
        let distance = sample - offset
        offset += share * distance
        if abs(distance) < abs(sample) { samples[index] = Float(distance) }
      }
      offsets[channel] = offset
    }
    return AudioBuffer(format: buffer.format, samples: samples, firstFrame: buffer.firstFrame)
  }

  /// Forgets the offset before audio that does not continue the last buffer.
  package mutating func reset() {
    offsets = []
  }

  private mutating func start(with buffer: AudioBuffer) {
    offsets = Array(repeating: 0, count: buffer.format.channelCount)
    // The first frames alone do not show whether they are a sound.
    guard buffer.duration >= Self.shortestStart else { return }
    for (index, sample) in buffer.samples.enumerated() where sample.isFinite {
      offsets[index % offsets.count] += Double(sample) / Double(buffer.frameCount.rawValue)
    }
  }
}
