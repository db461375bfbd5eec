import AudioCore
import Resampling

/// Determines how much faster than its nominal rate a live source is played, so that the audio
/// between the source and the loudspeaker keeps its length although their clocks differ.
///
/// It is a proportional-integral controller; the integral becomes the difference of the clocks.
/// A change of pitch stays inaudible: at most 1.7 cents, and at most 0.17 cents per second. Longer
/// targets are kept more slowly: the time constant is 67 s for 150 ms, and 10 s for 22 ms. A
/// difference of 500 ppm displaces the level by a tenth of the target in the meantime.
struct ClockFollower {
  /// The largest deviation from the nominal rate.
  static let limit = Resampler.highestDeviation
  /// The largest change of the deviation per second.
  static let slew = 100e-6
  /// The deviation for an error as long as the target.
  private static let gain = 4_500e-6
  /// The time over which levels are averaged, in seconds.
  private static let averaging = 2.0

  /// The level to keep: the audio that is still to be played when a buffer arrives.
  let target: Duration
  /// The source's frames per frame of the device, minus 1.
  private(set) var deviation = 0.0
  /// The part of the deviation that compensates the difference of the clocks.
  private var difference = 0.0
  /// The average level in seconds; nil before the first level and after an interruption.
  private var average: Double?
  /// The deviation per second of error.
  private let proportion: Double

  /// Whether the level is known.
  var hasLevel: Bool { average != nil }

  init(target: Duration) {
    self.target = target
    proportion = Self.gain / max(0.02, target.inSeconds)
  }

  /// Updates the deviation for the level at the arrival of a buffer of this length.
  ///
  /// Nil forgets the average level, because the audio was interrupted; the deviation stays.
  mutating func update(_ level: Duration?, length: Duration) {
    guard let level = level?.inSeconds else { return average = nil }
    // A longer buffer would change the rate too much at once.
    let length = min(1, length.inSeconds)
    let before = average ?? level
    let average = before + (level - before) * length / (length + Self.averaging)
    self.average = average
    let error = average - target.inSeconds
    let wanted = proportion * error + difference
    // Beyond the limit, the integral would only grow and cause an overshoot later.
    if abs(wanted) < Self.limit {
      // A quarter of the square makes the loop critically damped.
      difference += proportion * proportion / 4 * error * length
    }
    let change = max(-Self.limit, min(wanted, Self.limit)) - deviation
    deviation += max(-Self.slew * length, min(change, Self.slew * length))
  }
}
