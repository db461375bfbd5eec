import AudioCore

/// Keeps frames within ±1: it turns down at once, holds that for 20 ms, and is back after 100 ms
/// more.
///
/// All channels of a frame are turned down alike. Where nothing was above ±1 in the last 120 ms,
/// every sample stays exactly as it is. What is no finite number becomes silence.
struct Limiter: Equatable {
  /// What the last frame was multiplied with.
  private(set) var gain: Float = 1
  private let holdFrames: Int
  private let riseFrames: Int
  private var held = 0
  private var rising = 0
  private var step: Float = 0

  /// A limiter for frames at this rate, at rest.
  init(rate: SampleRate) {
    holdFrames = FrameCount(.milliseconds(20), at: rate).rawValue
    riseFrames = max(1, FrameCount(.milliseconds(100), at: rate).rawValue)
  }

  /// Limits interleaved samples in their place; returns the lowest gain that it needed, 1 where
  /// none.
  mutating func apply(
    to samples: UnsafeMutableBufferPointer<Float>, channels: Int
  ) -> Float {
    guard gain < 1 || Self.needsWork(samples) else { return 1 }
    var lowest: Float = 1
    for start in stride(from: 0, to: samples.count, by: channels) {
      let frame = UnsafeMutableBufferPointer(rebasing: samples[start..<start + channels])
      lowest = min(lowest, limit(frame))
    }
    return lowest
  }

  private mutating func limit(_ frame: UnsafeMutableBufferPointer<Float>) -> Float {
    var peak: Float = 0
    for index in frame.indices {
      if !frame[index].isFinite { frame[index] = 0 }
      peak = max(peak, abs(frame[index]))
    }
    let gain = next(peak: peak)
    guard gain < 1 else { return 1 }
    // The reciprocal of a peak near the largest number is rounded too coarsely to end within ±1.
    for index in frame.indices { frame[index] = min(max(frame[index] * gain, -1), 1) }
    return gain
  }

  /// The gain of a frame whose largest sample is `peak`.
  private mutating func next(peak: Float) -> Float {
    rise()
    if peak > 1, 1 / peak <= gain { fall(to: 1 / peak) }
    return gain
  }

  private mutating func fall(to gain: Float) {
    self.gain = gain
    held = holdFrames
    rising = riseFrames
    step = (1 - gain) / Float(riseFrames)
  }

  private mutating func rise() {
    if held > 0 {
      held -= 1
    } else if rising > 0 {
      rising -= 1
      gain = rising == 0 ? 1 : gain + step
    }
  }

  /// Whether a sample is beyond ±1 or no finite number.
  ///
  /// Without their sign, the bits of a number grow with it, and those that are none come last: a
  /// comparison of whole numbers, several at a time.
  private static func needsWork(_ samples: UnsafeMutableBufferPointer<Float>) -> Bool {
    var highest: UInt32 = 0
    for sample in samples { highest = max(highest, sample.bitPattern & 0x7FFF_FFFF) }
    return highest > Float(1).bitPattern
  }
}
