import ArgumentParser
import AudioCore
import ClientDependencies
import FilePaths
import FoundationEssentials
import Logging

/// The options of every subcommand.
struct CommonOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Log details to standard error.")
  var verbose = false

  @Flag(
    name: .shortAndLong, help: "Show only errors and warnings: no progress, notices, and summaries."
  )
  var quiet = false

  /// Sends the log to standard error with `--verbose`, otherwise nowhere.
  func startLogging() {
    LoggingSystem.bootstrap { [verbose] label in
      guard verbose else { return SwiftLogNoOpLogHandler() }
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .debug
      return PrintableLog(handler: handler)
    }
  }
}

/// A log that escapes control characters, because messages may contain text from a file or a
/// server.
struct PrintableLog<Handler: LogHandler>: LogHandler {
  var handler: Handler

  var logLevel: Logger.Level {
    get { handler.logLevel }
    set { handler.logLevel = newValue }
  }

  var metadata: Logger.Metadata {
    get { handler.metadata }
    set { handler.metadata = newValue }
  }

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { handler[metadataKey: key] }
    set { handler[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) {
    var event = event
    event.message = "\("\(event.message)".printableLine)"
    handler.log(event: event)
  }
}

/// The option `--device` of a command that captures.
struct CaptureDeviceOption: ParsableArguments {
  @Option(
    name: [.customShort("d"), .customLong("device")],
    help: .value(
      "device",
      """
      Capture device, as listed by `syrinx devices`, or a part of its name; virtual:FILE is a \
      microphone that captures FILE in real time.
      """),
    completion: .devices("capture"))
  var name: String?

  var id: AudioDevice.ID? {
    @Dependency(\.settings) var settings
    return name.map(AudioDevice.ID.init(rawValue:)) ?? settings.captureDevice
  }

  func validate() throws {
    try checkDevice(name, .capture)
  }

  /// Returns whether the device is a virtual microphone whose input is this file.
  func captures(_ file: FilePath) -> Bool {
    guard case .virtualMicrophone(let path) = DeviceRoute(id) else { return false }
    return path.isSameFile(as: file)
  }
}

/// Throws if `--device` names a device that cannot be used in a direction.
func checkDevice(_ name: String?, _ direction: AudioDevice.Direction) throws {
  guard let name else { return }
  try require(!name.isEmpty, "--device needs a name; `syrinx devices` lists the devices.")
  let route = DeviceRoute(AudioDevice.ID(rawValue: name))
  if let obstacle = route.obstacle(to: direction) {
    throw ValidationError("--device \(name) cannot be used here: \(obstacle).")
  }
}

/// The option `--wait` of a command that plays, records, or listens.
struct WaitOption: ParsableArguments {
  @Option(
    name: .customLong("wait"), parsing: .unconditional,
    help: .value("time", "Time to wait for a lost device to return (default: fail at once)."),
    transform: TimeValue.seconds)
  var seconds: Double?

  var onDeviceLoss: DeviceLossPolicy { seconds.map { .wait(atMost: .seconds($0)) } ?? .fail }

  func validate() throws {
    try check("--wait", seconds, in: 0.001...31_536_000, "a time in seconds")
  }
}

extension CompletionKind {
  /// Completes an argument with the devices that `syrinx devices` lists for a direction.
  static func devices(_ direction: String) -> CompletionKind {
    .shellCommand(
      #"""
      syrinx devices --json 2>/dev/null |
      sed -n '/"\#(direction)":true/s/.*"id":"\([^"]*\)".*/\1/p'
      """#)
  }
}

/// The option `--json`, and its equivalent `--format json`.
struct JSONOption: ParsableArguments {
  /// The value of `--format`.
  enum Format: String, CaseIterable, ExpressibleByArgument { case json }

  @Flag(name: .customLong("json"), help: "Print JSON, one object per line; also --format json.")
  var flag = false

  @Option(help: .hidden)
  var format: Format?

  var isOn: Bool { flag || format == .json }
}

/// The option `--jobs`.
struct JobsOption: ParsableArguments {
  /// The permitted numbers of jobs.
  ///
  /// A larger number is a mistake, because each job has its own threads and memory.
  static let range = 1...256

  @Option(
    parsing: .unconditional,
    help: .value(
      "number", "Number of parallel jobs, 1 to \(range.upperBound) (default: one per processor)."))
  var jobs: Int?

  /// The requested number, or the number of processors that this process may use.
  var count: Int {
    @Dependency(\.settings) var settings
    return jobs ?? settings.jobs
      ?? min(Self.range.upperBound, max(1, ProcessInfo.processInfo.activeProcessorCount))
  }

  func validate() throws {
    try check("--jobs", jobs, in: Self.range, "a number")
  }
}
