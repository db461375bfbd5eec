import AudioCore
import FilePaths
import Foundation
import ONNXRuntime
import SpeechEngine
import TestTools
import Testing

@testable import SileroDetector

@Suite(.installedEngines, .ownThread) struct SileroLocationTests {
  /// An empty folder for components.
  private let home = FileManager.default.temporaryDirectory.appending(path: "syrinx-\(UUID())")

  private var folder: URL { home.appending(path: "syrinx/silero") }
  private var file: URL { folder.appending(path: "silero_vad.onnx") }

  private func location(_ more: [String: String] = [:], model: URL? = nil) throws -> SileroLocation
  {
    let environment = ["XDG_DATA_HOME": home.path].merging(more) { $1 }
    return SileroLocation(library: try Components.library(), model: model, environment: environment)
  }

  private func install() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: Components.model(), to: file)
    try InstalledFolder.record(
      FilePath(folder), component: "silero", version: "6.2.3", files: ["silero_vad.onnx"])
  }

  /// Returns the error of the first frame; nil if the frame is processed.
  private func failure(_ location: SileroLocation) -> SpeechEngineError? {
    do throws(SpeechEngineError) {
      let frame = [Float](repeating: 0, count: 512)
      let session = SileroSession { () throws(SpeechEngineError) in try SileroModel(location) }
      let judged = try session.process(frame[...])
      #expect(judged.count == 1)
      return nil
    } catch {
      return error
    }
  }

  private func reason(_ location: SileroLocation) -> String? { failure(location).map { "\($0)" } }

  @Test func `Silero is found at SYRINX_SILERO_MODEL, or else where it was installed`()
    throws
  {
    defer { try? FileManager.default.removeItem(at: home) }
    #expect(try !location().isChosen)
    try install()
    #expect(try location().isChosen && location().model() == FilePath(file))
    #expect(try failure(location()) == nil)
    let other = try Components.model()
    for place in [other, other.deletingLastPathComponent()] {
      let named = try location(["SYRINX_SILERO_MODEL": place.path])
      #expect(try named.isChosen && named.model() == FilePath(other))
      #expect(
        try location(["SYRINX_SILERO_MODEL": "/nowhere"], model: place).model() == FilePath(other))
    }
  }

  @Test func `the error for a missing or altered file contains the file's name`() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    #expect(
      try failure(location())
        == .modelDamaged(path: file.path, reason: "it is missing"))
    try install()
    let bytes = try Data(contentsOf: file)
    try bytes.prefix(bytes.count - 1).write(to: file)
    #expect(
      try failure(location())
        == .modelDamaged(
          path: file.path, reason: "it has \(bytes.count - 1) bytes instead of \(bytes.count)"))
    var altered = bytes
    altered[bytes.count / 2] ^= 0xFF
    try altered.write(to: file)
    #expect(try reason(location())?.contains("SHA-256") == true)
    try FileManager.default.removeItem(at: file)
    #expect(try failure(location()) == .modelDamaged(path: file.path, reason: "it is missing"))
  }

  @Test func `the error for a model of another kind names the difference`() throws {
    let other = try Components.otherModel()
    guard case .modelDamaged(other.path, let reason) = try failure(location(model: other)) else {
      Issue.record("it was taken")
      return
    }
    #expect(reason.contains("input_values"))
  }

  @Test func `a file that is not a model is an error, and so is a missing library`() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("no model".utf8).write(to: file)
    guard case .modelDamaged(file.path, _) = try failure(location()) else {
      Issue.record("it was taken")
      return
    }
    let lost = SileroLocation(library: URL(filePath: "/nowhere/lib.so"), model: file)
    #expect(reason(lost)?.contains("/nowhere/lib.so") == true)
  }

  @Test func `availability reports the error that processing the first frame would throw`() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    try install()
    #expect(
      try location().availability == .ready(SpeechModel(language: "und", location: file.path)))
    for lost in [
      try location(model: URL(filePath: "/nowhere/silero.onnx")),
      SileroLocation(library: URL(filePath: "/nowhere/lib.so"), model: file),
    ] {
      let error = try #require(failure(lost))
      #expect(lost.availability == .unavailable(error))
    }
  }

  @Test func `a folder that every user may change is rejected`() throws {
    defer { try? FileManager.default.removeItem(at: home) }
    try install()
    try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: folder.path)
    #expect(try reason(location())?.contains("every user may change it") == true)
  }
}
