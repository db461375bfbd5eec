import AudioCore
import AudioRecorderClient

extension RecordingRequest {
  /// What is heard before the beginning is kept in memory.
  static let longestPreRoll = Duration.seconds(600)
  /// So is a sound until it is long enough, and what trimming leaves.
  static let longestHold = Duration.seconds(600)
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
    for rule in [sound, endAfterSilence, trim, warnBelow] { try rule?.check() }
    for rule in [sound, trim] { try rule?.checkMemory() }
    if let endAfterSilence, endAfterSilence.hold == .zero {
      throw .unsupportedFormat(
        reason: "silence that ends a recording lasts longer than \(Duration.zero.inSeconds) s")
    }
    try rolling.check()
  }

  /// What it waits for.
  private var sound: LevelRule? {
    if case .atSound(let rule) = start { rule } else { nil }
  }
}

extension LevelRule {
  fileprivate func check() throws(AudioRecorderError) {
    guard hold < .zero else { return }
    throw .unsupportedFormat(reason: "a level is held for 0 s or longer, not \(hold.inSeconds) s")
  }

  fileprivate func checkMemory() throws(AudioRecorderError) {
    let longest = RecordingRequest.longestHold
    guard hold > longest else { return }
    throw .unsupportedFormat(
      reason: "a sound that begins a recording, or silence that stays at its edges, lasts up to "
        + "\(longest.inSeconds) s, not \(hold.inSeconds) s")
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
