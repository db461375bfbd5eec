import AudioCore
import AudioRecorderClient

/// Notices, block by block, a microphone that gives next to nothing, as one that is switched off.
struct QuietMicrophone {
  private let rule: LevelRule
  private var quiet = Duration.zero
  private var highest = Decibels.silence
  private var hasWarned = false

  init(_ rule: LevelRule = .silentMicrophone) {
    self.rule = rule
  }

  /// How loud it was at most, once for every stretch that is quiet for so long.
  mutating func hears(_ level: AudioLevel, for length: Duration) -> Decibels? {
    guard level.peak < rule.threshold else {
      self = Self(rule)
      return nil
    }
    quiet += length
    highest = max(highest, level.peak)
    guard quiet >= rule.hold, !hasWarned else { return nil }
    hasWarned = true
    return highest
  }
}
