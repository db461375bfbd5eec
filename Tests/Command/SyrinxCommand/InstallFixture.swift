import FilePaths
import Foundation
import ONNXRuntime
import TestTools
import Testing

@testable import SyrinxCommand

/// An installation folder with wheels and an installer, for the tests of installations.
class InstallFixture {
  let folder: TestFolder
  let index: WheelIndex
  let error: TestFolder.Output
  let console: Console

  init() throws {
    folder = try TestFolder()
    index = try WheelIndex(in: folder.url)
    error = try folder.output()
    console = try Console(
      output: OutputDescriptor(rawValue: -1, name: "standard output"),
      error: OutputDescriptor(rawValue: error.handle.fileDescriptor, name: "standard error"))
  }

  var target: FilePath { FilePath(folder.file("engines")) }

  func installer(_ python: Python? = nil, to target: FilePath? = nil) throws
    -> EngineInstaller
  {
    try EngineInstaller(
      folder: target ?? self.target, python: python ?? index.python(), console: console)
  }

  func names(_ path: FilePath? = nil) -> [String] {
    ((path ?? target).names ?? []).map(\.text).sorted()
  }

  func text(_ name: FilePath) throws -> String {
    String(decoding: try target.appending(name).contents(), as: UTF8.self)
  }

  /// Installs components, and returns the error; the installation must leave no files.
  func failure(
    _ python: Python? = nil, from files: [FilePath] = [],
    of components: [EngineComponent]? = nil
  ) async throws -> String {
    let error = await #expect(throws: CommandFailure.self) {
      try await installer(python).install(components ?? [index.model, index.runtime], from: files)
    }
    #expect(names().isEmpty)
    return error?.description ?? ""
  }
}
