public import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths

/// The options that select the recorded part of the audio and the files to record to.
struct RecordingRuleOptions: ParsableArguments {
  @Flag(help: "Wait until the level exceeds --threshold for --hold.")
  var startAtSound = false

  @Option(
    parsing: .unconditional,
    help: .value("time", "Length of audio to keep from before --start-at-sound begins."),
    transform: TimeValue.seconds)
  var preRoll = 0.0

  @Option(
    parsing: .unconditional,
    help: .value("time", "Time below --threshold after which the recording ends."),
    transform: TimeValue.seconds)
  var stopAfterSilence: Double?

  @Option(
    parsing: .unconditional,
    help: .value("dBFS", "Level that separates sound from silence (default: -40)."))
  var threshold: Double?

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      """
      Time above --threshold before --start-at-sound begins, and length of silence that \
      --trim-silence keeps (default: 0.1).
      """), transform: TimeValue.seconds)
  var hold: Double?

  @Flag(help: "Remove silence from the beginning and the end, except for --hold.")
  var trimSilence = false

  @Option(
    parsing: .unconditional,
    help: .value(
      "time",
      """
      Length of each file. take.wav is followed by take-001.wav, take-002.wav, and so on; \
      take-%d.wav begins with take-1.wav, and take-%03d.wav with take-001.wav. Existing numbers are \
      skipped. SIGUSR1 begins the next file at any time.
      """), transform: TimeValue.seconds)
  var rollSeconds: Double?

  @Option(
    parsing: .unconditional,
    help: .value("bytes", "Size of each file, for example 500M; the suffixes are k, M, and G."),
    transform: Int.byteCount)
  var rollBytes: Int?

  @Option(
    help: .value(
      "channels",
      """
      Channels of the device to record, from 1: 1,3 is the first and the third. A channel that a \
      sound server lacks is silent.
      """), transform: channelIndices)
  var pickChannels: [Int]?

  @Option(help: "How to handle lost audio: fill it with silence, omit it, or stop the recording.")
  var gaps = RecordingGapRule.silence

  @Flag(help: "Print events to standard output, one JSON object per line.")
  var json = false

  func validate() throws {
    try check("--pre-roll", preRoll, in: 0...600, "a length in seconds")
    try check("--stop-after-silence", stopAfterSilence, in: 0.01...86_400, "a length in seconds")
    try check("--threshold", threshold, in: -120...0, "a level in dBFS")
    try check("--hold", hold, in: 0...60, "a length in seconds")
    try check("--roll-seconds", rollSeconds, in: 0.1...31_536_000, "a length in seconds")
    try check("--roll-bytes", rollBytes, in: 10_000...Int.max, "a size in bytes")
    try checkCombination()
  }

  /// Throws if an option has no effect because another option is missing.
  private func checkCombination() throws {
    try require(preRoll == 0 || startAtSound, "--pre-roll requires --start-at-sound.")
    try require(
      hold == nil || startAtSound || trimSilence,
      "--hold requires --start-at-sound or --trim-silence.")
    try require(
      threshold == nil || startAtSound || trimSilence || stopAfterSilence != nil,
      "--threshold requires --start-at-sound, --stop-after-silence, or --trim-silence.")
  }

  /// Throws if standard output (-) is the destination and an option requires a file.
  func checkDestination(_ file: FilePath) throws {
    guard file == "-" else { return }
    let requireFile = [
      ("--roll-seconds", rollSeconds != nil), ("--roll-bytes", rollBytes != nil), ("--json", json),
    ]
    guard let option = requireFile.first(where: \.1) else { return }
    throw ValidationError("\(option.0) requires a file, not standard output (-).")
  }

  /// Whether a limit is set at which a new file begins.
  var hasRollingLimit: Bool { rollSeconds != nil || rollBytes != nil }

  /// Applies the rules to a request.
  func apply(to request: inout RecordingRequest) {
    let level = Decibels(threshold ?? -40)
    let rule = LevelRule(threshold: level, hold: .seconds(hold ?? 0.1))
    if startAtSound {
      request.start = .atSound(rule)
      request.preRoll = .seconds(preRoll)
    }
    request.endAfterSilence = stopAfterSilence.map {
      LevelRule(threshold: level, hold: .seconds($0))
    }
    request.trim = trimSilence ? rule : nil
    request.rolling = RecordingRollingRule(
      length: rollSeconds.map { .seconds($0) }, byteCount: rollBytes)
    request.channels = pickChannels
    request.gaps = gaps
  }
}

extension RecordingGapRule: ExpressibleByArgument {}

/// Returns the first placeholder in a file name that does not stand for a number, such as `%Y`; nil
/// if there is none.
func unsupportedPlaceholder(in file: String) -> Substring? {
  let name = file.split(separator: "/").last ?? ""
  return name.matches(of: /%[-_0^#]?[0-9]*[A-Za-z]/).map(\.output)
    .first { $0.wholeMatch(of: /%0?[0-9]?d/) == nil }
}

/// Returns the first placeholder in the name of a single file, where it has no meaning; nil if
/// there is none.
///
/// A percent sign before a word, as in `50%done.wav`, and an encoded byte, as in `%2d1.wav`, are
/// not placeholders.
func meaninglessPlaceholder(in file: String) -> Substring? {
  let name = file.split(separator: "/").last ?? ""
  return name.firstMatch(of: /%(0?[0-9]*d|[-_0^#]?[FHMSTY])(?![A-Za-z0-9])/)?.output.0
}
