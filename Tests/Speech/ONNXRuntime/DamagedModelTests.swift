import FilePaths
import Foundation
import TestTools
import Testing

@testable import ONNXRuntime

/// Loads models with all kinds of damage, each in a separate process.
///
/// Tests/nightly.sh damages ten times as many copies of each model.
@Suite(.installedEngines, .ownThread, .timeLimit(.minutes(60))) struct DamagedModelTests {
  private static let copyCount =
    ProcessInfo.processInfo.environment["SYRINX_TEST_DAMAGED_COPIES"].flatMap { Int($0) } ?? 20
  private static let models = [
    "silero/silero_vad.onnx", "moonshine-base-en/encoder_model.ort",
    "moonshine-base-en/encoder.prepared.ort", "moonshine-base-en/decoder.blocks.ort",
  ]

  @Test(arguments: models)
  func `the error for each damaged copy of an installed model contains the file's name`(
    model: String
  ) async throws {
    let library = try ONNXComponents.path("onnxruntime/libonnxruntime.so").text
    try await forDamagedCopies(of: model, isRecorded: true) { folder, damage in
      await #expect(processExitsWith: .success, "\(damage)") {
        [path = folder.text as String, library = library as String] in
        do throws(ONNXError) {
          let library = try ONNXLibrary(path: FilePath(library))
          let model = try InstalledFolder(FilePath(path)).file("model.ort")
          _ = try ONNXSession(model: model, in: library)
          exit(1)
        } catch {
          if !"\(error)".contains("model.ort is damaged") { exit(2) }
        }
      }
    }
  }

  /// Loads damaged copies as the engines load their models.
  ///
  /// The copies have no manifest, like a user's own model, so only the library can detect damage.
  ///
  /// Of the copies with a damaged graph, one in 20 crashes ONNX Runtime 1.22.1, and none of 300
  /// crashes 1.28.2 or 1.32.0.
  @Test(arguments: models.dropFirst())
  func `a copy of a model with undetected damage fails or runs, but does not crash`(
    model: String
  ) async throws {
    let library = try ONNXComponents.path("onnxruntime/libonnxruntime.so").text
    try await forDamagedCopies(of: model, isRecorded: false) { folder, damage in
      await #expect(processExitsWith: .success, "\(damage)") {
        [
          path = folder.text as String, library = library as String,
          isPrepared = model.contains("prepared") as Bool
        ] in
        do throws(ONNXError) {
          let library = try ONNXLibrary(path: FilePath(library))
          let model = try InstalledFolder(FilePath(path)).file("model.ort")
          var options = ONNXSessionOptions()
          if isPrepared { (options.mapsWeights, options.optimization) = (true, .none) }
          let session = try ONNXSession(model: model, in: library, options: options)
          let inputs = try session.inputs.map { port throws(ONNXError) in
            (port.name, try ONNXValue.zeros(for: port, in: library))
          }
          _ = try session.run(inputs, outputs: session.outputs.map(\.name))
        } catch {
          if "\(error)".isEmpty { exit(1) }
        }
      }
    }
  }

  /// Calls `body` for copies of a model with random damage.
  ///
  /// Half of the copies are damaged near the beginning of the file. The graph is there, and is so
  /// small that random positions in the whole file would rarely hit it.
  private func forDamagedCopies(
    of model: String, isRecorded: Bool,
    _ body: (_ folder: FilePath, _ damage: String) async -> Void
  ) async throws {
    let folder = try TestFolder()
    let copy = folder.file("model.ort")
    try FileManager.default.copyItem(at: ONNXComponents.path(model).url, to: copy)
    if isRecorded {
      try InstalledFolder.record(
        FilePath(folder.url), component: "model", version: "1", files: ["model.ort"])
    }
    let file = try FileHandle(forUpdating: copy)
    let size = try Int(file.seekToEnd())
    let seed: UInt64 = 13
    var numbers = SeededNumbers(seed: seed)
    for number in 0..<Self.copyCount {
      let damage = Damage.allCases.randomElement(using: &numbers) ?? .truncated
      let start = Int.random(in: 0..<(number % 2 == 0 ? size : 100_000), using: &numbers)
      let repair = try damage.apply(to: file, at: start, using: &numbers)
      await body(FilePath(folder.url), "copy \(number) of seed \(seed), \(damage) at \(start)")
      try file.seek(toOffset: UInt64(start))
      try file.write(contentsOf: repair)
    }
  }
}

extension ONNXValue {
  /// Creates an input of zeros: a second of audio, or a single token.
  fileprivate convenience init<Element: ONNXElement>(
    zeros: Element.Type, for port: ONNXPort, in library: ONNXLibrary
  ) throws(ONNXError) {
    let free = port.name == "input_values" ? 16_000 : 1
    // Every dimension of a damaged model may be of any length.
    var shape = port.shape.map { min($0 ?? free, 100_000) }
    // The decoder was prepared, which removes the shape of this input.
    if port.name == "input_ids", shape.isEmpty { shape = [1, 1] }
    guard shape.reduce(1, *) < 10_000_000 else { throw .failed(reason: "it takes too much") }
    try self.init(of: Element.self, shape: shape, in: library) { _ in }
  }

  fileprivate static func zeros(
    for port: ONNXPort, in library: ONNXLibrary
  ) throws(ONNXError) -> ONNXValue {
    switch port.type {
    case .int64: try ONNXValue(zeros: Int64.self, for: port, in: library)
    case .bool: try ONNXValue(zeros: Bool.self, for: port, in: library)
    default: try ONNXValue(zeros: Float.self, for: port, in: library)
    }
  }
}

/// The kinds of damage to a file.
private enum Damage: CaseIterable {
  case truncated, flipped, zeroed, overwritten

  /// Damages a file, and returns the bytes that it replaces.
  func apply(
    to file: FileHandle, at start: Int, using numbers: inout SeededNumbers
  ) throws -> Data {
    try file.seek(toOffset: UInt64(start))
    if self == .truncated {
      let rest = try file.readToEnd() ?? Data()
      try file.truncate(atOffset: UInt64(start))
      return rest
    }
    let length = self == .flipped ? 1 : Int.random(in: 1...10_000, using: &numbers)
    let bytes = try file.read(upToCount: length) ?? Data()
    var damaged = bytes
    if self != .flipped {
      damaged = Data(repeating: self == .zeroed ? 0 : 0xA5, count: bytes.count)
    }
    // One bit is flipped, even if the bytes were to be overwritten but already had the new values.
    if damaged == bytes { damaged[0] ^= 1 << UInt8.random(in: 0..<8, using: &numbers) }
    try file.seek(toOffset: UInt64(start))
    try file.write(contentsOf: damaged)
    return bytes
  }
}
