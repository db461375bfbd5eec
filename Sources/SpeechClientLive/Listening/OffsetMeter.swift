/// Measures sound around the offset that a cheap microphone adds to it, which nobody hears.
///
/// The offset is the mean of the quiet frames: that of a loud one is a part of its sound.
struct OffsetMeter {
  /// How much of a new mean goes into the offset.
  private static let share = 0.1

  private var quietest = RunningMinimum(window: 200)
  private var offset: Double?

  /// The power of the next frame without the offset; 1 is that of a square wave at full scale.
  mutating func power(of samples: ArraySlice<Float>) -> Double {
    let count = Double(max(1, samples.count))
    let mean = samples.reduce(into: 0) { $0 += Double($1) } / count
    let variance =
      samples.reduce(into: 0) { $0 += (Double($1) - mean) * (Double($1) - mean) } / count
    let level = SpeechDetector.level(ofPower: variance)
    if level <= quietest.add(level) + SpeechDetector.threshold {
      offset = offset.map { $0 + Self.share * (mean - $0) } ?? mean
    }
    let shift = mean - (offset ?? 0)
    return variance + shift * shift
  }
}
