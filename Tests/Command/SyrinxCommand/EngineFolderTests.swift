import FilePaths
import Foundation
import ONNXRuntime
import Synchronization
import TestTools
import Testing

@testable import SyrinxCommand

@Suite(.timeLimit(.minutes(5)))
final class EngineFolderTests: InstallFixture {
  @Test(arguments: ["file/engines", "file", "/proc/engines"])
  func `the error for an unusable installation folder contains the folder and suggests --to`(
    name: String
  ) async throws {
    try Data().write(to: folder.file("file"))
    let path = FilePath(folder.url).appending(FilePath(name))
    let target = name.hasPrefix("/") ? FilePath(name) : path
    let error = await #expect(throws: CommandFailure.self) {
      try await installer(to: target).install([index.model])
    }
    #expect(error?.description.contains("cannot create \(target): ") == true, "\(error as Any)")
    #expect(error?.description.contains("--to") == true)
  }

  @Test
  func `a second installer in the same folder is refused while the first runs`()
    async throws
  {
    do {
      let place = try EngineFolder(target)
      let error = await #expect(throws: CommandFailure.self) {
        try await installer().install([index.model])
      }
      #expect(
        error?.description.contains("another `syrinx engines` command is changing \(target)")
          == true)
      #expect(place.path == target)
    }
    try await installer().install([index.model])
    #expect(names() == ["model"])
  }

  @Test
  func `while a component is replaced, either its old or its new version is installed`() throws {
    let place = try EngineFolder(target)
    let watch = Watch()
    let file = target.appending("model/manifest.json")
    func publish() throws {
      let folder = place.work.appending("model")
      try folder.makeFolder()
      try Data().write(to: folder.appending("manifest.json").url)
      try place.publish("model")
    }
    try publish()
    Thread.detachNewThread {
      while !watch.isDone.load(ordering: .relaxed) {
        if file.status == nil { watch.absences.add(1, ordering: .relaxed) }
      }
      watch.end.signal()
    }
    for _ in 1...500 { try publish() }
    watch.isDone.store(true, ordering: .relaxed)
    watch.end.wait()
    #expect(watch.absences.load(ordering: .relaxed) == 0)
    #expect((place.work.names ?? []).isEmpty)
  }

  @Test
  func `an installation folder's name may have spaces and bytes that are not UTF-8`() async throws {
    let target = FilePath(bytes: FilePath(folder.url).bytes + Array("/a b".utf8) + [0xE9, 0x0A])
    try await installer(to: target).install([index.model])
    #expect(names(target) == ["model"])
    try InstalledFolder(target.appending("model")).verify()
  }

  @Test
  func `a folder that the command did not create is neither replaced nor removed`() async throws {
    try target.appending("model").makeFolder()
    try Data("mine".utf8).write(to: target.appending("model/notes").url)
    let error = await #expect(throws: CommandFailure.self) {
      try await installer().install([index.model])
    }
    #expect(error?.description.contains("was not installed by this command") == true)
    #expect(names() == ["model"])
    #expect(try text("model/notes") == "mine")
  }
}

/// The results of a thread that checks continuously whether a component is present.
private final class Watch: Sendable {
  let isDone = Atomic(false)
  let absences = Atomic(0)
  let end = DispatchSemaphore(value: 0)
}
