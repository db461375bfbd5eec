import FilePaths
import Foundation
import Glibc
import ONNXRuntime
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(2)))
final class EngineInstallerTests: InstallBench {
  @Test
  func `a component is a folder with its files under their names, and a manifest`() async throws {
    let installed = try await installer().install([shelf.model, shelf.runtime])
    #expect(names() == ["model", "runtime"])
    #expect(names(target.appending("model")) == ["copy.bin", "manifest.json", "model.bin"])
    #expect(try text("model/model.bin") == "the model")
    #expect(installed.compactMap(\.manifest?.component) == ["model", "runtime"])
    #expect(installed.compactMap(\.manifest?.version) == ["1.0", "1.0"])
    for folder in installed { try folder.verify() }
  }

  @Test
  func `what is there is kept without Python, and what is damaged is installed again`()
    async throws
  {
    try await installer().install([shelf.model, shelf.runtime])
    let missing = shelf.python("PATH=/nowhere")
    #expect(try await installer(missing).install([shelf.model, shelf.runtime]).count == 2)
    let file = target.appending("runtime/lib.so")
    // As long as before, and as old.
    let times = try FileManager.default.attributesOfItem(atPath: file.text)[.modificationDate]
    try Data("9.9".utf8).write(to: file.url)
    try FileManager.default.setAttributes(
      [.modificationDate: times as Any], ofItemAtPath: file.text)
    try await installer().install([shelf.model, shelf.runtime])
    #expect(try text("runtime/lib.so") == "1.0")
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `a wheel that is another one than it should be is refused with both hashes`() async throws {
    let right = shelf.first.sha256
    try Data("PK".utf8).write(to: shelf.file(shelf.first).url)
    let sentence = try await failure(from: [shelf.file(shelf.first)])
    #expect(sentence.contains("alpha-1.0-py3-none-any.whl") && sentence.contains(right))
    #expect(sentence.contains("its SHA-256 is") && sentence.contains("download it again"))
  }

  @Test
  func `a downloaded wheel is checked as one that is given`() async throws {
    let script = try shelf.script(
      "for last; do :; done; python \"$@\" && echo >>\"${last%==*}-1.0-py3-none-any.whl\"")
    let sentence = try await failure(shelf.python(before: script), of: [shelf.model])
    #expect(sentence.contains("its SHA-256 is"), "\(sentence)")
  }

  @Test
  func `a wheel that is given is not downloaded, and one of another name is refused`()
    async throws
  {
    let offline = shelf.python("PIP_FIND_LINKS=")
    let sentence = try await failure(offline, from: [FilePath(folder.file("gamma.whl"))])
    #expect(sentence.contains("gamma.whl is none of the wheels"))
    #expect(sentence.contains(shelf.first.file) && sentence.contains(shelf.second.file))
    try await installer(offline).install(
      [shelf.model, shelf.runtime], from: [shelf.file(shelf.first)])
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `a wheel that is given but not there is an error that names it`() async throws {
    try FileManager.default.removeItem(at: shelf.file(shelf.first).url)
    await #expect(throws: ONNXError.fileMissing(path: shelf.file(shelf.first))) {
      try await installer().install([shelf.model], from: [shelf.file(shelf.first)])
    }
    #expect(names().isEmpty)
  }

  @Test
  func `relative names of wheels and of the folder count from the current folder`() async throws {
    await #expect(processExitsWith: .success) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let shelf = try WheelShelf(in: place)
      try #require(chdir(place.path) == 0)
      let installer = try EngineInstaller(
        folder: "engines", python: shelf.python(), console: try Console())
      try await installer.install(
        [shelf.model], from: [FilePath("wheels/\(shelf.first.file)")])
      try await installer.install([shelf.runtime])
    }
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `a component without its manifest is not intact, and is installed again`() async throws {
    try await installer().install([shelf.model])
    let place = FilePath(folder.file("engines/silero"))
    try FileManager.default.copyItem(at: target.appending("model").url, to: place.url)
    #expect(try await installer().verify().map(\.damage) == [nil])
    place.appending("manifest.json").remove()
    #expect(
      try await installer().verify().map(\.damage)
        == [.fileMissing(path: place.appending("manifest.json"))])
    let preparation = preparation { folder, _ in
      try Data("faster".utf8).write(to: folder.appending(path: "model.prepared"))
    }
    for isUnprepared in [false, true] {
      let folders = try await installer().install(
        [shelf.model], preparing: preparation, unless: isUnprepared)
      #expect(folders[0].has("model.prepared") == !isUnprepared)
      target.appending("model/manifest.json").remove()
    }
  }

  @Test(
    "an installer that is killed leaves no component, and the next one none of its rests",
    arguments: [(1, "before"), (1, "after"), (2, "before"), (2, "after"), (4, "after")])
  func killed(call: Int, moment: String) async throws {
    let count = folder.file("count").path
    let script = try shelf.script(
      """
      echo >>'\(count)'
      die() { [ $(wc -l <'\(count)') != \(call) ] || { kill -9 $PPID; exit 1; }; }
      [ \(moment) = after ] || die
      python "$@"; status=$?
      [ \(moment) = before ] || die
      exit $status
      """)
    await #expect(processExitsWith: .signal(SIGKILL)) {
      [place = folder.url.path as String, programs = script.path as String] in
      let place = URL(filePath: place)
      let shelf = try WheelShelf(in: place)
      var runtime = shelf.runtime
      runtime.offers.removeFirst()
      try await EngineInstaller(
        folder: FilePath(place.appending(path: "engines")),
        python: shelf.python(before: URL(filePath: programs)), console: try Console()
      ).install([shelf.model, runtime])
    }
    #expect(names().allSatisfy { $0.hasPrefix(".installing-") } && names().count == 1)
    try await installer().install([shelf.model, shelf.runtime])
    #expect(names() == ["model", "runtime"])
  }

  private func preparation(_ make: @escaping @Sendable (URL, URL) throws -> Void)
    -> EnginePreparation
  {
    EnginePreparation(component: "model", files: ["model.prepared"], make: make)
  }

  @Test
  func `a model is prepared once, and the manifest has what was made`() async throws {
    try await installer().install([shelf.model, shelf.runtime])
    for isNeeded in [true, false] {
      let folders = try await installer().install(
        [shelf.model, shelf.runtime],
        preparing: preparation { folder, library in
          #expect(isNeeded)
          #expect(library.path.hasSuffix("/engines/onnxruntime/libonnxruntime.so"))
          try Data("faster".utf8).write(to: folder.appending(path: "model.prepared"))
        })
      #expect(
        folders[0].manifest?.files.map(\.name) == ["copy.bin", "model.bin", "model.prepared"])
      try folders[0].verify()
    }
    #expect(try error.text().isEmpty)
  }

  @Test
  func `a model is prepared anew for another library`() async throws {
    var library = shelf.runtime
    library.name = ONNXLibrary.component
    let preparation = preparation { folder, library in
      let bytes = try Data(
        contentsOf: library.deletingLastPathComponent().appending(path: "lib.so"))
      try bytes.write(to: folder.appending(path: "model.prepared"))
    }
    try await installer().install([shelf.model, library], preparing: preparation)
    #expect(try text("model/model.prepared") == "1.0")
    library.offers.removeFirst()
    let folders = try await installer().install([shelf.model, library], preparing: preparation)
    #expect(try text("model/model.prepared") == "2.0")
    for folder in folders { try folder.verify() }
  }

  @Test
  func `a model that cannot be prepared is installed all the same, which is reported`()
    async throws
  {
    let folders = try await installer().install(
      [shelf.model, shelf.runtime],
      preparing: preparation { _, _ in throw CommandFailure(description: "too little memory") })
    #expect(folders[0].manifest?.files.map(\.name) == ["copy.bin", "model.bin"])
    let sentence = try error.text()
    #expect(sentence.contains("model is installed but not prepared") && sentence.contains("memory"))
  }

  @Test
  func `while a model is prepared anew the old one works, and a kill then leaves it`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let target = place.appending(path: "engines")
      let shelf = try WheelShelf(in: place)
      var library = shelf.runtime
      library.name = ONNXLibrary.component
      let installer = try EngineInstaller(
        folder: FilePath(target), python: shelf.python(), console: try Console())
      for round in ["old", "half"] {
        let preparation = EnginePreparation(component: "model", files: ["model.prepared"]) {
          folder, _ in
          try Data(round.utf8).write(to: folder.appending(path: "model.prepared"))
          try Data().write(to: folder.appending(path: ".model.temporary"))
          if round == "half" { kill(getpid(), SIGKILL) }
          try FileManager.default.removeItem(at: folder.appending(path: ".model.temporary"))
        }
        try await installer.install([shelf.model, library], preparing: preparation)
        try Data("damage".utf8).write(to: target.appending(path: "onnxruntime/lib.so"))
      }
    }
    let left = try InstalledFolder(target.appending("model"))
    #expect(left.has("model.prepared"))
    try left.verify()
    var library = shelf.runtime
    library.name = ONNXLibrary.component
    // What the library had changed for is made up for, though the library is there already.
    let folders = try await installer().install(
      [shelf.model, library],
      preparing: preparation { folder, _ in
        try Data("new".utf8).write(to: folder.appending(path: "model.prepared"))
      })
    for folder in folders { try folder.verify() }
    #expect(try text("model/model.prepared") == "new")
    #expect(names() == ["model", "onnxruntime"])
    #expect(
      names(target.appending("model"))
        == ["copy.bin", "manifest.json", "model.bin", "model.prepared"])
  }

  @Test
  func `a preparation that is cancelled leaves the model as it comes`() async throws {
    let (installer, model) = (try installer(), shelf.model)
    let preparation = preparation { folder, _ in
      try Data("faster".utf8).write(to: folder.appending(path: "model.prepared"))
      withUnsafeCurrentTask { $0?.cancel() }
    }
    let work = Task { try await installer.install([model], preparing: preparation) }
    await #expect(throws: CancellationError.self) { try await work.value }
    #expect(names(target.appending("model")) == ["copy.bin", "manifest.json", "model.bin"])
    #expect(try error.text().isEmpty)
  }

  @Test
  func `a process that is killed while it prepares leaves the model as it comes`() async throws {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let shelf = try WheelShelf(in: place)
      let preparation = EnginePreparation(component: "model", files: ["model.prepared"]) {
        folder, _ in
        try Data("half".utf8).write(to: folder.appending(path: "model.prepared"))
        kill(getpid(), SIGKILL)
      }
      try await EngineInstaller(
        folder: FilePath(place.appending(path: "engines")), python: shelf.python(),
        console: try Console()
      ).install([shelf.model], preparing: preparation)
    }
    let left = try InstalledFolder(target.appending("model"))
    #expect(left.manifest?.files.map(\.name) == ["copy.bin", "model.bin"])
    try left.verify()
    let folders = try await installer().install(
      [shelf.model],
      preparing: preparation { folder, _ in
        try Data("whole".utf8).write(to: folder.appending(path: "model.prepared"))
      })
    #expect(folders[0].has("model.prepared") && names() == ["model"])
    try folders[0].verify()
  }
}
