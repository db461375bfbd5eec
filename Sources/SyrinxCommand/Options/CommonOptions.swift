import ArgumentParser
import AudioCore
import Logging

/// The options of every subcommand.
struct CommonOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Say on standard error what happens inside.")
  var verbose = false

  /// Sends the log to standard error, or nowhere.
  func startLogging() {
    LoggingSystem.bootstrap { [verbose] label in
      guard verbose else { return SwiftLogNoOpLogHandler() }
      var handler = StreamLogHandler.standardError(label: label)
      handler.logLevel = .debug
      return handler
    }
  }
}

/// The option `--device` of a command that plays.
struct PlaybackDeviceOption: ParsableArguments {
  @Option(
    name: [.customShort("d"), .customLong("device")],
    help: ArgumentHelp(
      "The device to play on, as `syrinx devices` names it; virtual needs no hardware.",
      valueName: "device"))
  var name: String?

  var id: AudioDevice.ID? { name.map(AudioDevice.ID.init(rawValue:)) }

  func validate() throws {
    try checkDevice(name, .playback)
  }
}

/// The option `--device` of a command that hears.
struct CaptureDeviceOption: ParsableArguments {
  @Option(
    name: [.customShort("d"), .customLong("device")],
    help: ArgumentHelp(
      """
      The device to hear, as `syrinx devices` names it; virtual:FILE is a microphone that hears \
      FILE, in real time.
      """,
      valueName: "device"))
  var name: String?

  var id: AudioDevice.ID? { name.map(AudioDevice.ID.init(rawValue:)) }

  func validate() throws {
    try checkDevice(name, .capture)
  }
}

private func checkDevice(_ name: String?, _ direction: AudioDevice.Direction) throws {
  guard let name else { return }
  guard !name.isEmpty else {
    throw ValidationError("--device needs a name; `syrinx devices` lists what there is.")
  }
  let route = DeviceRoute(AudioDevice.ID(rawValue: name))
  if let obstacle = route.obstacle(to: direction) {
    throw ValidationError("--device \(name) cannot be used here: \(obstacle).")
  }
}

/// The option `--wait` of a command that plays or records.
struct WaitOption: ParsableArguments {
  @Option(
    name: .customLong("wait"), parsing: .unconditional,
    help: ArgumentHelp(
      "Goes on when a device that was lost is back within that time.", valueName: "seconds"))
  var seconds: Double?

  var onDeviceLoss: DeviceLossPolicy { seconds.map { .wait(atMost: .seconds($0)) } ?? .fail }

  func validate() throws {
    try check("--wait", seconds, in: 0.001...31_536_000, "a time in seconds")
  }
}
