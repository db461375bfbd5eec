import ArgumentParser
import AudioCore
import Conversion
import Loudness
import SoundFile

/// The options of `syrinx convert` that change the audio.
struct ConversionOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .value("hertz", "Sample rate (default: the input's)."))
  var rate: Int?

  @Option(
    parsing: .unconditional, help: .value("count", "Number of channels (default: the input's)."))
  var channels: Int?

  @Option(help: "Sample format: 16, 24, 32, or float (default: the input's).")
  var bits: String?

  @Option(parsing: .unconditional, help: .value("dB", "Change of the level, before --normalize."))
  var gain = 0.0

  @Option(
    parsing: .unconditional,
    help: .value(
      "level",
      """
      Peak in dBFS or loudness to reach: -1 or -9dBFS, or -16LUFS, with peaks limited to -1 dBTP; the \
      input is read twice.
      """), transform: AudioConversion.Normalization.init(argument:))
  var normalize: AudioConversion.Normalization?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Where the audio begins: 90, 1:30, 500ms, or 2m (default: 0)."),
    transform: TimeValue.init(value:))
  var start = TimeValue.zero

  @Option(
    parsing: .unconditional, help: .value("time", "Where the audio ends (default: the end)."),
    transform: TimeValue.init(value:))
  var end: TimeValue?

  @Option(
    parsing: .unconditional,
    help: .value("time", "Length of the fade from silence, at most 600 s (default: 0)."),
    transform: TimeValue.init(value:))
  var fadeIn = TimeValue.zero

  @Option(
    parsing: .unconditional,
    help: .value("time", "Length of the fade to silence, at most 600 s (default: 0)."),
    transform: TimeValue.init(value:))
  var fadeOut = TimeValue.zero

  @Flag(
    help: "Remove silence at both ends, and shorten pauses of 10 seconds or more to 0.2 seconds.")
  var trimSilence = false

  @Flag(help: "Cut into numbered files where it is silent for half a second.")
  var splitAtSilence = false

  @Option(
    parsing: .unconditional,
    help: .value("time", "Cut into numbered files of this length, for example 10m."),
    transform: TimeValue.init(value:))
  var every: TimeValue?

  @Option(
    parsing: .unconditional,
    help: .value(
      "dBFS",
      "With --trim-silence or --split-at-silence, level below which audio is silent (default: -50)."
    ))
  var silence: Double?

  private static let longestFade = Duration.seconds(600)

  func validate() throws {
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...256, "a number of channels")
    try check("--gain", gain, in: -200...200, "a gain in dB")
    try check("--silence", silence, in: -200...0, "a level in dBFS")
    try require(
      silence == nil || trimSilence || splitAtSilence,
      "--silence requires --trim-silence or --split-at-silence.")
    try checkBits(bits)
    if let end, end.duration <= start.duration {
      throw ValidationError("--end \(end) must be after --start \(start).")
    }
    for (option, fade) in [("--fade-in", fadeIn), ("--fade-out", fadeOut)] {
      try require(
        fade.duration <= Self.longestFade,
        "\(option) \(fade) is too long: a fade takes at most 600 seconds, which are held in memory."
      )
    }
    try require(every.map { $0.duration > .zero } ?? true, "--every needs a length above 0.")
    try require(
      every == nil || !splitAtSilence,
      "--every and --split-at-silence exclude each other; choose one.")
  }

  /// Whether the conversion may write several files.
  var splits: Bool { every != nil || splitAtSilence }

  func apply(to conversion: inout AudioConversion) {
    let threshold = Decibels(silence ?? -50)
    conversion.sampleRate = rate.map(SampleRate.init(hertz:))
    conversion.channelCount = channels
    conversion.samples = bits.flatMap(SoundFileEncoding.SampleFormat.init(bits:))
    conversion.gain = Decibels(gain)
    conversion.normalization = normalize
    (conversion.start, conversion.end) = (start.duration, end?.duration)
    (conversion.fadeIn, conversion.fadeOut) = (fadeIn.duration, fadeOut.duration)
    if trimSilence {
      conversion.trimming = SilencePolicy(threshold: threshold, hold: .seconds(10))
    }
    if splitAtSilence { conversion.division = .silence(SilencePolicy(threshold: threshold)) }
    if let every { conversion.division = .every(every.duration) }
  }
}

extension AudioConversion.Normalization {
  /// The lowest level without a unit that is interpreted as a peak.
  ///
  /// A lower level is ambiguous, because it is probably meant as a loudness.
  private static let lowestPeak = -6.0

  /// Reads a target level in the form `-1` or `-1dBFS` for a peak, or `-16LUFS` for a loudness.
  ///
  /// - Throws: `ValidationError`, including for an ambiguous level without a unit.
  init(argument: String) throws {
    let text = argument.lowercased()
    let unit = ["lufs", "dbfs", "db"].first(where: text.hasSuffix)
    guard let level = Double(text.dropLast(unit?.count ?? 0)), (-200...0).contains(level) else {
      throw ValidationError("give a level from -200 to 0, such as -1, -1dBFS, or -16LUFS.")
    }
    guard unit != nil || level >= Self.lowestPeak else {
      throw ValidationError(
        "\(argument) may be a loudness or a peak; write \(argument)LUFS or \(argument)dBFS.")
    }
    self = unit == "lufs" ? .loudness(LoudnessLevel(lufs: level)) : .peak(Decibels(level))
  }
}

/// A time in one of these forms: `90`, `1.5`, `1:30`, `1:02:03.5`, `500ms`, `90s`, `10m`, `2h`.
struct TimeValue: Equatable, CustomStringConvertible {
  static let zero = TimeValue(seconds: 0, description: "0")

  let seconds: Double
  /// The time as the user wrote it.
  let description: String

  var duration: Duration { .seconds(seconds) }

  private init(seconds: Double, description: String) {
    (self.seconds, self.description) = (seconds, description)
  }

  /// Returns the seconds of an option's value.
  ///
  /// - Throws: `ValidationError`, which shows how to write a time.
  static func seconds(_ argument: String) throws -> Double {
    guard let seconds = number(argument) else {
      throw ValidationError("give a time such as 90, 1:30, 500ms, or 2m.")
    }
    guard seconds <= longest else {
      throw ValidationError("\(argument) is longer than a year; give at most 8760h.")
    }
    return seconds
  }

  /// - Throws: `ValidationError`, which shows how to write a time.
  init(value argument: String) throws {
    self.init(seconds: try Self.seconds(argument), description: argument)
  }

  /// The longest time: a year, in seconds.
  private static let longest = 31_536_000.0

  /// Returns the seconds of a text, without a limit; nil if it is not a time.
  private static func number(_ argument: String) -> Double? {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60), ("h", 3_600)]
    let unit = units.first { argument.hasSuffix($0.0) }
    let digits = unit.map { argument.dropLast($0.0.count) } ?? argument[...]
    let parts = digits.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Double($0) }
    guard numbers.count == parts.count, (1...(unit == nil ? 3 : 1)).contains(numbers.count),
      numbers.allSatisfy({ $0 >= 0 }), numbers.dropFirst().allSatisfy({ $0 < 60 }),
      case let seconds = numbers.reduce(0, { $0 * 60 + $1 }) * (unit?.1 ?? 1), seconds.isFinite
    else { return nil }
    return seconds
  }
}
