public import ArgumentParser
import AudioCore
import ClientDependencies
public import SoundFile

/// The options for the rate and the channels of inputs without a header.
struct RawShapeOptions: ParsableArguments {
  @Option(parsing: .unconditional, help: .hidden)
  var rawRate: Int?

  @Option(parsing: .unconditional, help: .hidden)
  var rawChannels: Int?

  /// The help on the option that names the encoding.
  static let help = ArgumentHelp.value(
    "format",
    """
    Format of inputs without a header: s16, s24 (three bytes each; ALSA's S24_3LE), s32, or float, \
    little-endian, with --raw-rate (default: 48000) and --raw-channels (default: 2); ulaw or alaw \
    (default: 8000 and 1), gsm (8000 and 1), or g722 (16000 and 1; requires FFmpeg).
    """)

  /// Returns the format of an encoding; nil for inputs with headers.
  ///
  /// - Throws: `ValidationError` if the encoding does not have this rate or number of channels.
  func format(_ coding: RawAudioFormat.Coding?) throws -> RawAudioFormat? {
    try require(
      coding != nil || (rawRate == nil && rawChannels == nil),
      "--raw-rate and --raw-channels require --raw-input.")
    try check("--raw-rate", rawRate, in: 1...768_000, "a rate in hertz")
    try check("--raw-channels", rawChannels, in: 1...256, "a number of channels")
    guard let coding else { return nil }
    let format = RawAudioFormat(
      coding, sampleRate: rawRate.map(SampleRate.init(hertz:)), channelCount: rawChannels)
    if let problem = format.problem { throw ValidationError("\(problem).") }
    return format
  }
}

/// The options for inputs without a header.
struct RawInputOptions: ParsableArguments {
  @Option(
    name: [.customLong("raw-input"), .customLong("raw")], help: RawShapeOptions.help)
  var coding: RawAudioFormat.Coding?

  @OptionGroup var shape: RawShapeOptions

  /// The format of the inputs; nil for inputs with headers.
  var format: RawAudioFormat? { (try? shape.format(coding)) ?? nil }

  func validate() throws {
    _ = try shape.format(coding)
  }
}

extension RawAudioFormat.Coding: ExpressibleByArgument {}

/// The format of the inputs of a command, if they have no headers.
private enum RawInput: DependencyKey {
  static let liveValue: RawAudioFormat? = nil
  static let testValue: RawAudioFormat? = nil
}

extension DependencyValues {
  /// The format of inputs without a header, from the options; nil if inputs have headers.
  var rawInput: RawAudioFormat? {
    get { self[RawInput.self] }
    set { self[RawInput.self] = newValue }
  }
}
