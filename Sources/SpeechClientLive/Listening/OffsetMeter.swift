/// Measures sound around the offset that a cheap microphone adds to it, which nobody hears.
///
/// The offset is the mean of the quiet frames: that of a loud one is a part of its sound.
struct OffsetMeter {
  /// How many means at most are as one in the offset.
  private static let memory = 10.0

  private var quietest = RunningMinimum(window: 200)
  private var lowest = Double.infinity
  private var offset = 0.0
  private var count = 0.0

  /// The power of the next frame without the offset; 1 is that of a square wave at full scale.
  mutating func power(of samples: ArraySlice<Float>) -> Double {
    let frames = Double(max(1, samples.count))
    let mean = samples.reduce(into: 0) { $0 += Double($1) } / frames
    let variance =
      samples.reduce(into: 0) { $0 += (Double($1) - mean) * (Double($1) - mean) } / frames
    let level = SpeechDetector.level(ofPower: variance)
    let background = max(quietest.add(level), SpeechDetector.lowestBackground)
    // Before the first quiet frame the offset was that of a sound.
    if background < lowest - SpeechDetector.threshold { count = 0 }
    lowest = background
    if level <= background + SpeechDetector.threshold {
      count = min(count + 1, Self.memory)
      offset += (mean - offset) / count
    }
    let shift = mean - offset
    return variance + shift * shift
  }
}
