import ArgumentParser
import AudioCore

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
