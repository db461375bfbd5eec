public import ArgumentParser
import AudioCore
public import AudioPlayerClient
import ClientDependencies
import FilePaths

/// The options of `syrinx play` for the range of each file and the fades.
struct PlayRangeOptions: ParsableArguments {
  private static let longest = 1e6

  @Option(
    parsing: .unconditional, help: .value("time", "Start of the range of each file."),
    transform: TimeValue.seconds)
  var start = 0.0

  @Option(
    parsing: .unconditional,
    help: .value("time", "End of the range of each file (default: the end of the file)."),
    transform: TimeValue.seconds)
  var end: Double?

  @Option(
    parsing: .unconditional, help: .value("time", "Fade-in of the first file."),
    transform: TimeValue.seconds)
  var fadeIn = 0.0

  @Option(
    parsing: .unconditional,
    help: .value(
      "time", "Fade-out of the last file, at most 60 s; that much audio is held in memory."),
    transform: TimeValue.seconds)
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
      throw ValidationError("--end \(end) must be after --start \(start).")
    }
  }
}

/// The options of `syrinx play` for the device.
struct PlayDeviceOptions: ParsableArguments {
  @Option(
    name: [.customShort("d"), .customLong("device")],
    help: .value(
      "device",
      """
      Playback device, as listed by `syrinx devices`, or a part of its name; virtual needs no \
      hardware.
      """),
    completion: .devices("playback"))
  var name: String?

  @Flag(
    help: """
      Buffer 15 ms in the device instead of 100 ms or more: commands take effect sooner, and the \
      processor wakes up more often.
      """)
  var lowLatency = false

  @Option(
    parsing: .unconditional,
    help: .value(
      "hertz",
      """
      Rate to open the device at, 1000 to 768000, if the device supports it; --verbose reports the \
      result (default: the rate of the first file).
      """))
  var rate: Int?

  @Option(
    parsing: .unconditional,
    help: .value(
      "count", "With --rate, number of channels to open the device with, 1 to 32 (default: 2)."))
  var channels: Int?

  var id: AudioDevice.ID? {
    @Dependency(\.settings) var settings
    return name.map(AudioDevice.ID.init(rawValue:)) ?? settings.playbackDevice
  }

  var latency: PlaybackLatency { lowLatency ? .low : .normal }

  /// The requested format; nil to use the format of the first file.
  var format: AudioFormat? {
    rate.map { AudioFormat(sampleRate: SampleRate(hertz: $0), channelCount: channels ?? 2) }
  }

  func validate() throws {
    try checkDevice(name, .playback)
    try check("--rate", rate, in: 1_000...768_000, "a rate in hertz")
    try check("--channels", channels, in: 1...32, "a number of channels")
    try require(rate != nil || channels == nil, "--channels requires --rate.")
  }
}

extension PlaybackRepetition: ExpressibleByArgument {
  /// Reads the value of `--loop` or `--repeat`: a number up to a million, or `forever`.
  public init?(argument: String) {
    if argument == "forever" {
      self = .forever
    } else if let count = Int(argument), (1...1_000_000).contains(count) {
      self = .times(count)
    } else {
      return nil
    }
  }

  /// The value as the user would type it.
  public var defaultValueDescription: String {
    switch self {
    case .times(let count): "\(count)"
    case .forever: "forever"
    }
  }
}

/// Whether `--replay-gain` applies the gain of the track or of the album.
enum ReplayGainScope: String, CaseIterable, ExpressibleByArgument { case track, album }
