import AudioCore

/// Keeps frames within ±1: it lowers the gain at once, holds it for 20 ms, and raises it to 1 in
/// another 100 ms.
///
/// All channels of a frame get the same gain. If nothing exceeded ±1 in the last 120 ms, every
/// sample is unchanged. NaN and infinite samples become silence. The lowest gain is reported once a
/// second while the limiter works, and when a sound ends.
struct Limiter: Equatable {
  /// The gain of the last frame.
  private(set) var gain: Float = 1
  private let holdFrames: Int
  private let riseFrames: Int
  private var held = 0
  private var rising = 0
  private var step: Float = 0
  private let reportFrames: Int
  /// The lowest unreported gain; `limitedSince` is the device frame at which the gain first fell
  /// below 1.
  private var lowest: Float = 1
  private var limitedSince: Int?

  init(rate: SampleRate) {
    holdFrames = FrameCount(.milliseconds(20), at: rate).rawValue
    riseFrames = max(1, FrameCount(.milliseconds(100), at: rate).rawValue)
    reportFrames = rate.hertz
  }

  /// Limits interleaved samples in place; returns the lowest gain applied, 1 if none.
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

  /// Resets the gain to 1; an unreported lowest gain is kept.
  mutating func reset() {
    (gain, held, rising, step) = (1, 0, 0, 0)
  }

  /// Records the gain of the block that begins at the device frame `position`.
  mutating func note(_ gain: Float, at position: Int) {
    guard gain < 1 else { return }
    lowest = min(lowest, gain)
    limitedSince = limitedSince ?? position
  }

  /// Returns the lowest unreported gain; nil if no report is due.
  func dueReport(at position: Int, isEnding: Bool) -> Float? {
    guard let limitedSince, isEnding || position - limitedSince >= reportFrames else { return nil }
    return lowest
  }

  /// Records that the gain has been reported.
  mutating func markReported() {
    (lowest, limitedSince) = (1, nil)
  }

  private mutating func limit(_ frame: UnsafeMutableBufferPointer<Float>) -> Float {
    var peak: Float = 0
    for index in frame.indices {
      if !frame[index].isFinite { frame[index] = 0 }
      peak = max(peak, abs(frame[index]))
    }
    let gain = next(peak: peak)
    guard gain < 1 else { return 1 }
    // For a peak near the largest `Float`, the reciprocal is inexact, so clamp the samples to ±1.
    for index in frame.indices { frame[index] = min(max(frame[index] * gain, -1), 1) }
    return gain
  }

  /// Advances by a frame whose largest magnitude is `peak`, and returns the frame's gain.
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

  /// Whether a sample exceeds ±1 or is not finite.
  ///
  /// Without the sign bit, the bit patterns of floats have the order of their magnitudes, and those
  /// of NaN and infinity are the largest. Integers can be compared several at a time.
  private static func needsWork(_ samples: UnsafeMutableBufferPointer<Float>) -> Bool {
    var highest: UInt32 = 0
    for sample in samples { highest = max(highest, sample.bitPattern & 0x7FFF_FFFF) }
    return highest > Float(1).bitPattern
  }
}
