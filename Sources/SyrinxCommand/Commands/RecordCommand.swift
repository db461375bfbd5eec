import ArgumentParser
import AudioCore
import AudioRecorderClient
import FilePaths
import SoundFile

/// `syrinx record`: a microphone to a file.
struct RecordCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "record",
    abstract: "Records sound into a file.",
    discussion: """
      The extension decides on the format: wav, aiff, au, caf, flac, ogg, opus or mp3; a file that \
      exists is replaced as soon as half a second is recorded, but none that has a number for its \
      name: a number that is taken is left out. A file that another recorder writes is refused. \
      - writes a WAV stream to standard output. Ctrl-C or SIGTERM completes the file, and the exit \
      status is 0, also where nothing has been recorded yet and no file is made; a second one ends \
      at once. SIGUSR1 goes on in the next file, SIGUSR2 pauses and resumes; with - they do nothing.

      \(RecordingRecord.schema)
      """)

  static let takesCommandSignals = true

  @Argument(help: "The file; - is standard output.")
  var file: FilePath

  @Option(
    parsing: .unconditional, help: "The length in seconds after which it ends, counted in frames.")
  var seconds: Double?

  @OptionGroup var device: CaptureDeviceOption

  @OptionGroup var wait: WaitOption

  @Option(parsing: .unconditional, help: "The file's rate in hertz; without it, the device's.")
  var rate: Int?

  @Option(parsing: .unconditional, help: "The file's number of channels; without it, the device's.")
  var channels: Int?

  @OptionGroup var fileFormat: FileFormatOptions

  @OptionGroup(title: "What is recorded") var rules: RecordingRuleOptions

  @OptionGroup var common: CommonOptions

  func validate() throws {
    try check("--seconds", seconds, in: 0.001...31_536_000, "a length in seconds")
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...32, "a number of channels")
    if !isStream { try checkFile() }
    try checkPlaces()
    try fileFormat.check(for: file, extension: pathExtension)
    try rules.refuse(for: file)
  }

  func perform(in context: CommandContext) async throws {
    guard !isStream || !StandardDescriptor.output.isTerminal else {
      throw ValidationError("- writes sound to a terminal; send it into a pipe or a file.")
    }
    try await RecordingRun(
      request: request(in: context), printsEvents: rules.json, context: context
    ).run()
  }

  private func request(in context: CommandContext) -> RecordingRequest {
    // Levels that nobody sees are reported seldom, which saves work. A pipe gets audio at once.
    let isWatched = rules.json || context.console.isWatched || isStream
    var request = RecordingRequest(
      url: file.url, fileFormat: fileFormat.fileFormat(extension: pathExtension),
      device: device.id, sampleRate: rate.map(SampleRate.init(hertz:)), channelCount: channels,
      maximumDuration: seconds.map { .seconds($0) }, id: RecordingID(),
      levelsInterval: .milliseconds(isWatched ? 100 : 1_000), onDeviceLoss: wait.onDeviceLoss)
    rules.apply(to: &request)
    if isStream {
      request.destination = .descriptor(StandardDescriptor.output.rawValue, isRaw: fileFormat.raw)
      request.fileFormat = SoundFileEncoding(.wav, samples: fileFormat.samples)
      // Without an id, no signal controls it.
      request.id = nil
    }
    return request
  }

  private var isStream: Bool { file == "-" }

  private var pathExtension: String { file.pathExtension }

  /// A recording destroys nothing that its own microphone hears; files with a number replace none.
  private func checkMicrophone() throws {
    guard case .virtualMicrophone(let path) = DeviceRoute(device.id), path.isSameFile(as: file)
    else {
      return
    }
    throw ValidationError("\(file) is what the microphone hears; record into another file.")
  }

  /// A name with a place for a date would be taken as it is written.
  private func checkPlaces() throws {
    guard rules.hasRollingLimit, let place = unknownPlace(in: file.text) else { return }
    throw ValidationError(
      "\(file): \(place) is no place that a file's number goes to; %d and %03d are. "
        + "The shell knows the date: take-$(date +%F)-%03d.wav.")
  }

  private func checkFile() throws {
    do {
      if fileFormat.format == nil { _ = try SoundFileEncoding(pathExtension: pathExtension) }
    } catch {
      throw ValidationError("\(file): \(error).")
    }
    try checkMicrophone()
  }
}
