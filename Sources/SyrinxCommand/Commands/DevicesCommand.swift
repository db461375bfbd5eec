import ArgumentParser
import AudioCore
import ClientDependencies
import SoundCard

/// `syrinx devices`: what there is to play on and to hear.
struct DevicesCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Lists the devices that play and capture sound.",
    discussion: """
      The device that is used where none is named is marked with *. The virtual ones are always \
      there, but never taken unless they are named.

      With --json each device is an object on a line of its own: "id" (what --device takes), "name", \
      "playback", "capture", "default" and "virtual".
      """)

  @Flag(help: "Print JSON, one object a line.")
  var json = false

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    @Dependency(\.soundCard) var soundCard
    do {
      let devices = try await soundCard.devices()
      try await list(devices, on: context.console)
      if devices.allSatisfy(\.isVirtual) { await reportNone(on: context.console) }
    } catch SoundCardError.noSoundCard {
      try await list([.virtualPlayback, .virtualMicrophone], on: context.console)
      await reportNone(on: context.console)
    } catch let error as SoundCardError {
      try await list([.virtualPlayback, .virtualMicrophone], on: context.console)
      throw error
    }
  }

  private func list(_ devices: [AudioDevice], on console: Console) async throws {
    let lines =
      json
      ? try devices.map { try DeviceRecord($0).jsonLine() }
      : DeviceTable(devices: devices).lines
    for line in lines { try await console.print(line) }
  }

  private func reportNone(on console: Console) async {
    await console.report(
      "no sound card and no sound server was found; the virtual devices work without them")
  }
}
