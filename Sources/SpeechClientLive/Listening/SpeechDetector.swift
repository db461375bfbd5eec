import AudioCore

/// Tells speech from the background, 10 ms at a time, by how far the level is above the quietest of
/// the last two seconds.
struct SpeechDetector {
  /// How many samples are judged at a time: 10 ms.
  static let frameLength = FrameCount(.milliseconds(10), at: .speech)

  /// How far above the background speech begins.
  static let threshold = 9.0
  /// How much lower the threshold is within an utterance, so that quiet sounds do not end it.
  static let hysteresis = 3.0
  /// Below this level nothing is speech.
  static let quietest = -55.0
  /// A background that is lower than this counts as this, so that dither above digital silence is
  /// not speech.
  static let lowestBackground = -70.0

  private var background = RunningMinimum(window: 200)
  private var offset = OffsetMeter()

  /// Judges the next frame by its samples.
  mutating func isSpeech(_ samples: ArraySlice<Float>, inUtterance: Bool) -> Bool {
    let level = Self.level(ofPower: offset.power(of: samples))
    let floor = max(background.add(level), Self.lowestBackground)
    let ease = inUtterance ? Self.hysteresis : 0
    return level > floor + Self.threshold - ease && level > Self.quietest - ease
  }

  /// The level in dBFS, at least -100.
  static func level(ofPower power: Double) -> Double {
    max(Decibels(amplitude: power.squareRoot()).dBFS, -100)
  }
}
