package import AudioCore

extension CaptureRequest {
  /// Throws if no device can fulfill the request.
  package func check() throws(AudioRecorderError) {
    try checkChannelCount(channelCount, of: "a capture")
    try checkChannels(channels, of: "a capture")
    if let framesPerBuffer, !(1...(1 << 24)).contains(framesPerBuffer.rawValue) {
      throw .unsupportedFormat(
        reason: "a buffer holds 1 to \(1 << 24) frames, not \(framesPerBuffer.rawValue)")
    }
  }
}

/// Throws if the device lacks a picked channel.
package func checkChannels(
  _ picked: [Int]?, on device: AudioFormat
) throws(AudioRecorderError) {
  guard let missing = picked?.first(where: { $0 >= device.channelCount }) else { return }
  throw .unsupportedFormat(
    reason: "channel \(missing + 1) was picked (index \(missing)), "
      + "and the device has \(device.channelCount)")
}

/// Throws if no device has the picked channels.
private func checkChannels(_ picked: [Int]?, of what: String) throws(AudioRecorderError) {
  guard let picked else { return }
  guard (1...32).contains(picked.count), picked.allSatisfy({ (0..<64).contains($0) }) else {
    throw .unsupportedFormat(
      reason: "\(what) picks 1 to 32 channels, counted from 0 to 63, not \(picked)")
  }
}

/// Throws if no device has this many channels; nil means the device's own count.
private func checkChannelCount(_ count: Int?, of what: String) throws(AudioRecorderError) {
  guard let count, !(1...32).contains(count) else { return }
  throw .unsupportedFormat(reason: "\(what) has 1 to 32 channels, not \(count)")
}

extension RecordingRequest {
  /// The longest pre-roll, which is kept in memory.
  private static let longestPreRoll = Duration.seconds(600)
  /// The longest audio that a recording keeps in memory apart from the pre-roll: a sound that is
  /// not yet long enough to begin the recording, or the margin that trimming keeps.
  fileprivate static let longestHold = Duration.seconds(600)
  fileprivate static let shortestFile = Duration.milliseconds(100)
  fileprivate static let smallestFile = 10_000

  /// Throws if a value of the request is out of range.
  package func check() throws(AudioRecorderError) {
    try checkChannelCount(channelCount, of: "a recording")
    try checkChannels(channels, of: "a recording")
    if let maximumDuration, maximumDuration <= .zero {
      throw .unsupportedFormat(
        reason: "a recording lasts longer than 0 s, not \(maximumDuration.inSeconds) s")
    }
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

  /// The rule that begins the recording, if it waits for sound.
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

extension RecordingRollingRule {
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
