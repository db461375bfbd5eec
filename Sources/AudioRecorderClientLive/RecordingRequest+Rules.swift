import AudioCore
import AudioRecorderClient

extension RecordingRequest {
  /// What is heard before the beginning is kept in memory.
  static let longestPreRoll = Duration.seconds(600)
  static let shortestFile = Duration.milliseconds(100)
  static let smallestFile = 10_000

  /// Throws where the rules make no sense.
  func checkRules() throws(AudioRecorderError) {
    if let maximumDuration, maximumDuration <= .zero {
      throw .unsupportedFormat(
        reason: "a recording lasts longer than 0 s, not \(maximumDuration.inSeconds) s")
    }
    try ChannelPick.check(channels, of: "a recording")
    guard (.zero...Self.longestPreRoll).contains(preRoll) else {
      throw .unsupportedFormat(
        reason: "a pre-roll lasts 0 to 600 s, not \(preRoll.inSeconds) s")
    }
    for rule in [sound, endAfterSilence, trim, warnBelow] {
      guard let rule, rule.hold < .zero else { continue }
      throw .unsupportedFormat(
        reason: "a level is held for 0 s or longer, not \(rule.hold.inSeconds) s")
    }
    try rolling.check()
  }

  /// What it waits for.
  private var sound: LevelRule? {
    if case .atSound(let rule) = start { rule } else { nil }
  }
}

extension RecordingRolling {
  fileprivate func check() throws(AudioRecorderError) {
    if let length, length < RecordingRequest.shortestFile {
      throw .unsupportedFormat(
        reason: "each file lasts 0.1 s or longer, not \(length.inSeconds) s")
    }
    if let byteCount, byteCount < RecordingRequest.smallestFile {
      throw .unsupportedFormat(
        reason: "each file has \(RecordingRequest.smallestFile) bytes or more, not \(byteCount)")
    }
  }
}
