import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths

/// `syrinx record`: records a microphone to a file.
struct RecordCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Record audio to a file.",
    discussion: """
      Examples:
        syrinx record take.wav --seconds 10
        syrinx record take-%03d.flac --roll-seconds 3600
        syrinx record - --stop-after-silence 2 | ffmpeg -i - take.m4a

      Keys:
        q   complete the file and end

      The extension selects the format: wav, aiff, au, caf, flac, ogg, opus, or mp3. An existing file \
      is overwritten when half a second is recorded. Numbered files overwrite nothing: existing \
      numbers are skipped. A file that another recorder is writing is refused. With -, the command \
      writes a WAV stream to standard output.

      Ctrl-C, SIGTERM, or the key q on a terminal completes the file with exit status 0, even if \
      nothing was recorded and no file was made. A second signal ends the command at once. SIGUSR1 \
      continues in the next file; SIGUSR2 pauses and resumes. With -, both are ignored. There are no \
      keys with - or --json.

      \(execHelp)

      \(JSONRecord.recordingSchema)
      """)

  private static let execHelp = ExecOptions.help(
    "complete file, whose name is its standard input and the variable SYRINX_FILE",
    end: "The end of the recording waits for the command; Ctrl-C then ends the command.")

  var takesCommandSignals: Bool { true }

  @Argument(help: "File to write; - for standard output.")
  var file: FilePath

  @Option(
    parsing: .unconditional,
    help: .value("time", "Length of the recording, counted in frames (default: until stopped)."),
    transform: TimeValue.seconds)
  var seconds: Double?

  @OptionGroup var device: CaptureDeviceOption

  @OptionGroup var wait: WaitOption

  @Option(
    parsing: .unconditional,
    help: .value("hertz", "Sample rate of the recording (default: the device's)."))
  var rate: Int?

  @Option(
    parsing: .unconditional,
    help: .value("count", "Number of channels in the recording (default: the device's)."))
  var channels: Int?

  @OptionGroup var fileFormat: FileFormatOptions

  @OptionGroup(title: "Recording rules") var rules: RecordingRuleOptions

  @Flag(inversion: .prefixedNo, help: "Show a level meter on a terminal.")
  var meter = true

  @OptionGroup var exec: ExecOptions

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { rules.json }

  func validate() throws {
    try check("--seconds", seconds, in: 0.001...31_536_000, "a length in seconds")
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...32, "a number of channels")
    try require(exec.exec == nil || !isStream, "--exec requires a file, not standard output (-).")
    if !isStream {
      if fileFormat.format == nil { try checkExtension(of: file) }
      // A recording in numbered files is exempt, because it never overwrites a file.
      try require(
        !device.captures(file),
        "\(file) is the input of the virtual microphone; record to another file.")
    }
    try checkPlaceholder()
    try fileFormat.check(for: file, extension: file.pathExtension)
    try rules.checkDestination(file)
  }

  func perform(in context: CommandContext) async throws {
    try require(
      !isStream || !OutputDescriptor.output.isTerminal,
      "standard output (-) is a terminal; redirect it to a pipe or a file.")
    try await record(try request(in: context), in: context)
  }

  private func request(in context: CommandContext) throws -> RecordingRequest {
    // If no levels are shown, fewer reports are requested, which saves CPU time.
    let showsLevels = rules.json || context.console.isWatched
    var request = RecordingRequest(
      isStream
        ? .descriptor(OutputDescriptor.output.rawValue, isRaw: fileFormat.raw)
        : .file(file.url),
      encoding: isStream
        ? try SoundFileEncoding(.wav, samples: fileFormat.samples)
        : try fileFormat.encoding(extension: file.pathExtension),
      device: device.id, sampleRate: rate.map(SampleRate.init(hertz:)), channelCount: channels,
      // Without an id, no signal controls the recording.
      maximumDuration: seconds.map { .seconds($0) }, id: isStream ? nil : RecordingID(),
      levelsInterval: .milliseconds(showsLevels ? 100 : 1_000), onDeviceLoss: wait.onDeviceLoss)
    rules.apply(to: &request)
    return request
  }

  /// Whether the recording goes to standard output.
  var isStream: Bool { file == "-" }

  /// Throws if the file name contains a placeholder that the recording would not replace.
  ///
  /// A date is never replaced, and a number only if a limit begins new files.
  private func checkPlaceholder() throws {
    if !rules.hasRollingLimit, let placeholder = meaninglessPlaceholder(in: file.text) {
      throw ValidationError(
        placeholder.hasSuffix("d")
          ? "\(file): \(placeholder) needs --roll-seconds or --roll-bytes, which begin new files."
          : "\(file): \(placeholder) is not supported in a name. "
            + "For a date, use the shell: take-$(date +%F).wav.")
    }
    guard rules.hasRollingLimit, let placeholder = unsupportedPlaceholder(in: file.text) else {
      return
    }
    throw ValidationError(
      "\(file): \(placeholder) is not a placeholder for a file's number; use %d or %03d. "
        + "For a date, use the shell: take-$(date +%F)-%03d.wav.")
  }
}
