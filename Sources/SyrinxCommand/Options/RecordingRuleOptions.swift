import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths

/// What of the sound goes into a recording, and into which file of it.
struct RecordingRuleOptions: ParsableArguments {
  @Flag(help: "Begins when it is louder than --threshold for --hold.")
  var startAtSound = false

  @Option(
    parsing: .unconditional,
    help: "Seconds of audio to keep from before --start-at-sound begins.")
  var preRoll = 0.0

  @Option(
    parsing: .unconditional,
    help: "Seconds below --threshold after which the recording ends.")
  var stopAfterSilence: Double?

  @Option(
    parsing: .unconditional,
    help: "The level in dBFS that tells sound from silence; without it, -40.")
  var threshold: Double?

  @Option(
    parsing: .unconditional,
    help: "Seconds for which it has to be loud until --start-at-sound begins; without it, 0.1.")
  var hold: Double?

  @Flag(help: "Leaves out the silence at the beginning and at the end, but for --hold of it.")
  var trimSilence = false

  @Option(
    parsing: .unconditional,
    help: """
      The length of each file in seconds: after take.wav come take-001.wav, take-002.wav and so on, \
      and of take-%d.wav or take-%03d.wav take-1.wav or take-001.wav is the first, and a number \
      that a file has already is left out; SIGUSR1 begins the next one at any time.
      """)
  var rollSeconds: Double?

  @Option(parsing: .unconditional, help: "The size of each file in bytes, or with k, M or G.")
  var rollBytes: ByteSize?

  @Option(
    help: """
      The device's channels to record, from 1 on: 1,3 are the first and the third; one that a sound \
      server lacks is silent.
      """)
  var pickChannels: ChannelList?

  @Option(help: "What sound that was lost becomes.")
  var gaps = GapChoice.silence

  @Flag(help: "Prints what happens on standard output, a JSON object per line.")
  var json = false

  func validate() throws {
    try check("--pre-roll", preRoll, in: 0...600, "a length in seconds")
    try check("--stop-after-silence", stopAfterSilence, in: 0.01...86_400, "a length in seconds")
    try check("--threshold", threshold, in: -120...0, "a level in dBFS")
    try check("--hold", hold, in: 0...60, "a length in seconds")
    try check("--roll-seconds", rollSeconds, in: 0.1...31_536_000, "a length in seconds")
    try check(
      "--roll-bytes", rollBytes?.byteCount, in: 10_000...Int.max, "a size in bytes")
    guard preRoll == 0 || startAtSound else {
      throw ValidationError("--pre-roll goes with --start-at-sound.")
    }
    try checkRules()
  }

  /// Refuses what tells rules apart where there is none.
  private func checkRules() throws {
    guard hold == nil || startAtSound || trimSilence else {
      throw ValidationError("--hold goes with --start-at-sound or --trim-silence.")
    }
    guard threshold == nil || startAtSound || trimSilence || stopAfterSilence != nil else {
      throw ValidationError(
        "--threshold goes with --start-at-sound, --stop-after-silence or --trim-silence.")
    }
  }

  /// Whether files change by themselves.
  var hasRollingLimit: Bool { rollSeconds != nil || rollBytes != nil }

  /// Refuses what standard output cannot have.
  func refuse(for file: FilePath) throws {
    guard file == "-" else { return }
    let refused = [
      ("--start-at-sound", startAtSound), ("--stop-after-silence", stopAfterSilence != nil),
      ("--trim-silence", trimSilence), ("--roll-seconds", rollSeconds != nil),
      ("--roll-bytes", rollBytes != nil), ("--gaps", gaps != .silence), ("--json", json),
    ]
    guard let option = refused.first(where: \.1) else { return }
    throw ValidationError("\(option.0) goes with a file, not with -.")
  }

  /// The request with these rules.
  func apply(to request: inout RecordingRequest) {
    let level = Decibels(dBFS: threshold ?? -40)
    let rule = LevelRule(threshold: level, hold: .seconds(hold ?? 0.1))
    if startAtSound {
      request.start = .atSound(rule)
      request.preRoll = .seconds(preRoll)
    }
    request.endAfterSilence = stopAfterSilence.map {
      LevelRule(threshold: level, hold: .seconds($0))
    }
    request.trim = trimSilence ? rule : nil
    request.rolling = RecordingRolling(
      length: rollSeconds.map { .seconds($0) }, byteCount: rollBytes?.byteCount)
    request.channels = pickChannels?.indices
    request.gaps = gaps.rule
  }
}

/// The value of `--gaps`.
enum GapChoice: String, CaseIterable, ExpressibleByArgument {
  case silence, omit, stop

  var rule: RecordingGapRule {
    switch self {
    case .silence: .silence
    case .omit: .omit
    case .stop: .stop
    }
  }
}

/// The first place in a file's name that looks like one for a date, as in `%Y`; nil where there is
/// none.
func unknownPlace(in file: String) -> Substring? {
  let name = file.split(separator: "/").last ?? ""
  return name.matches(of: /%[-_0^#]?[0-9]*[A-Za-z]/).map(\.output)
    .first { $0.wholeMatch(of: /%0?[0-9]?d/) == nil }
}
