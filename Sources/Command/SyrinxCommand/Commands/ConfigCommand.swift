import ArgumentParser
import ClientDependencies
import FilePaths
import Glibc

/// `syrinx config`: shows the user's own defaults.
struct ConfigCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the defaults that are in force, and where they come from.",
    discussion: """
      Examples:
        syrinx config
        syrinx config --json
        SYRINX_ENGINE=pocketsphinx syrinx config

      An option takes precedence over its environment variable, and the variable over the \
      configuration file, $XDG_CONFIG_HOME/syrinx/config.yaml (otherwise \
      ~/.config/syrinx/config.yaml). The file has one setting per line:
        capture-device: plughw:CARD=USB
        engine: moonshine
        jobs: 2

      model applies only to the configured engine, and server only to wyoming.

      With --json, each setting is an object on its own line: "setting", "variable", and if it \
      is set "value" and "source", which is the variable's name or the file's path. If the \
      settings cannot be used, there is one object with the "error".
      """)

  @OptionGroup var json: JSONOption

  @OptionGroup var common: CommonOptions

  var printsFailureAsJSON: Bool { json.isOn }

  func perform(in context: CommandContext) async throws {
    @Dependency(\.settings) var settings
    let rows = Settings.Name.allCases.map { ($0, settings.entries[$0]) }
    let lines =
      json.isOn
      ? try rows.map { try JSONRecord($0, $1).jsonLine() }
      : columnLines(
        titles: ["SETTING", "VALUE", "SOURCE"],
        rows: rows.map { name, entry in
          [name.rawValue, entry?.text ?? "-", entry?.source ?? "not set (\(name.variable))"]
        }
      ).map(\.printableLine)
    for line in lines { try await context.console.print(line) }
  }
}

/// Creates the record of a setting for `syrinx config --json`.
extension JSONRecord {
  init(_ name: Settings.Name, _ entry: Settings.Entry?) {
    self = [
      "setting": name.rawValue, "variable": name.variable, "value": entry?.text,
      "source": entry?.source,
    ]
  }
}
