import ArgumentParser
import AudioCore
import AudioPlayerClient
import FilePaths
import SoundFile

/// The options of `syrinx play` that say which part of each file is played, and how it begins and
/// ends.
struct PlayRangeOptions: ParsableArguments {
  private static let longest = 1e6

  @Option(
    parsing: .unconditional, help: ArgumentHelp("Where each file begins.", valueName: "seconds"))
  var start = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Where each file ends; without it, at its end.", valueName: "seconds"))
  var end: Double?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long the first file takes to be heard.", valueName: "seconds"))
  var fadeIn = 0.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long the last file takes to fall silent; so much is held back, at most 60 s.",
      valueName: "seconds"))
  var fadeOut = 0.0

  var range: PlaybackRange {
    PlaybackRange(start: .time(.seconds(start)), end: end.map { .time(.seconds($0)) })
  }

  func validate() throws {
    try check("--start", start, in: 0...Self.longest, "seconds")
    try check("--end", end, in: 0...Self.longest, "seconds")
    try check("--fade-in", fadeIn, in: 0...3_600, "seconds")
    try check("--fade-out", fadeOut, in: 0...60, "seconds")
    if let end, end <= start {
      throw ValidationError("--end \(end) has to lie behind --start \(start).")
    }
  }
}

/// The options of `syrinx play` that say how its device is opened.
struct PlayDeviceOptions: ParsableArguments {
  @Flag(
    help: """
      Let the device hold 15 ms of sound, not 100 or more: what it is told is heard at once, and the \
      machine wakes more often.
      """)
  var lowLatency = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Open the device at this rate, 1000 to 768000, where it has it (--verbose tells), and not at \
      the first file's.
      """, valueName: "hertz"))
  var rate: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --rate: how many channels to open it with, 1 to 32 (2).", valueName: "count"))
  var channels: Int?

  var latency: PlaybackLatency { lowLatency ? .low : .normal }

  /// Nil for what suits the first file.
  var format: AudioFormat? {
    rate.map { AudioFormat(sampleRate: SampleRate(hertz: $0), channelCount: channels ?? 2) }
  }

  func validate() throws {
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...32, "a number of channels")
    guard rate != nil || channels == nil else {
      throw ValidationError("--channels goes with --rate; give that as well.")
    }
  }
}

/// What standard input holds where it has no header.
struct RawOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Standard input (-) holds samples without a header: s16, s24 (three bytes each, which ALSA \
      calls S24_3LE), s32 or float, little-endian, with --raw-rate (48000) and --raw-channels (2).
      """,
      valueName: "format"), transform: Self.samples)
  var raw: RawSampleFormat?

  @Option(parsing: .unconditional, help: .hidden)
  var rawRate: Int?

  @Option(parsing: .unconditional, help: .hidden)
  var rawChannels: Int?

  func validate() throws {
    guard raw != nil || (rawRate == nil && rawChannels == nil) else {
      throw ValidationError("--raw-rate and --raw-channels go with --raw.")
    }
    try check("--raw-rate", rawRate, in: 1...768_000, "a rate in Hz")
    try check("--raw-channels", rawChannels, in: 1...64, "a number of channels")
  }

  /// Refuses what describes standard input where that is not played.
  func checkSource(of files: [FilePath]) throws {
    guard raw == nil || files.contains("-") else {
      throw ValidationError("--raw goes with standard input (-); a file says what it holds.")
    }
  }

  /// Standard input, as it was described.
  func standardInput(in context: CommandContext) -> AsyncThrowingStream<AudioBuffer, any Error> {
    guard let raw else {
      return SoundFile.buffers(ofFileDescriptor: 0) { [troubles = context.troubles] in
        troubles.append(.shortfall($0, file: "standard input"))
      }
    }
    let format = AudioFormat(
      sampleRate: SampleRate(hertz: rawRate ?? 48_000), channelCount: rawChannels ?? 2)
    return SoundFile.rawBuffers(ofFileDescriptor: 0, format: format, samples: raw)
  }

  private static func samples(_ name: String) throws -> RawSampleFormat {
    guard let samples = RawSampleFormat(rawValue: name) else {
      throw ValidationError("give s16, s24, s32 or float.")
    }
    return samples
  }
}
