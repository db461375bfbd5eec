import ArgumentParser
import AudioCore
import FilePaths
import SoundFile

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
