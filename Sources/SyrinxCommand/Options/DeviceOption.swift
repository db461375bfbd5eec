import ArgumentParser
import AudioCore

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
