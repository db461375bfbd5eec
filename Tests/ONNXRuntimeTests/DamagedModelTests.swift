import FilePaths
import Foundation
import Testing

@testable import ONNXRuntime

/// Models with damage of all kinds, each loaded by a process of its own.
@Suite(.timeLimit(.minutes(20))) struct DamagedModelTests {
  @Test(arguments: ["silero/silero_vad.onnx", "moonshine-base-en/encoder_model.ort"])
  func `each of 100 damaged copies of an installed model is an error with the file's name`(
    model: String
  ) async throws {
    let library = try ONNXComponents.path("onnxruntime/libonnxruntime.so").text
    try await forDamagedCopies(of: model, isInstalled: true) { folder, damage in
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

  /// The library alone checks a model without a manifest.
  ///
  /// Version 1.22.1 crashes with one copy in 20 whose graph is damaged, 1.28.2 and 1.32.0 with none
  /// of 300.
  @Test func `each of 100 damaged copies of a user's model is an error or runs`()
    async throws
  {
    let library = try ONNXComponents.path("onnxruntime-1.28.2/libonnxruntime.so").text
    try await forDamagedCopies(
      of: "moonshine-base-en/encoder_model.ort", isInstalled: false
    ) { folder, damage in
      await #expect(processExitsWith: .success, "\(damage)") {
        [path = folder.text as String, library = library as String] in
        do throws(ONNXError) {
          let library = try ONNXLibrary(path: FilePath(library))
          let model = try InstalledFolder(FilePath(path)).file("model.ort")
          let session = try ONNXSession(model: model, in: library)
          let audio = try ONNXValue(of: Float.self, shape: [1, 8_000], in: library) { _ in }
          _ = try session.run([("input_values", audio)], outputs: session.outputs.map(\.name))
        } catch {
          if "\(error)".isEmpty { exit(1) }
        }
      }
    }
  }

  private func forDamagedCopies(
    of model: String, isInstalled: Bool,
    _ body: (_ folder: FilePath, _ damage: String) async -> Void
  ) async throws {
    let folder = try TestFolder()
    let original = try Data(contentsOf: ONNXComponents.path(model).url)
    let copy = folder.file("model.ort")
    var numbers = SeededNumbers(state: 13)
    for number in 0..<100 {
      try original.write(to: copy)
      if isInstalled {
        try InstalledFolder.record(
          FilePath(folder.url), component: "model", version: "1", files: ["model.ort"])
      }
      let damage = Damage.allCases.randomElement(using: &numbers) ?? .truncated
      try damage.applied(to: original, using: &numbers).write(to: copy)
      await body(FilePath(folder.url), "copy \(number), \(damage)")
    }
  }
}

/// What happens to files.
private enum Damage: CaseIterable {
  case truncated, flipped, zeroed, overwritten

  func applied(to data: Data, using numbers: inout SeededNumbers) -> Data {
    let start = Int.random(in: 0..<data.count, using: &numbers)
    if self == .truncated { return data.prefix(start) }
    var damaged = data
    if self != .flipped {
      let count = min(data.count - start, Int.random(in: 1...10_000, using: &numbers))
      let bytes = [UInt8](repeating: self == .zeroed ? 0 : 0xA5, count: count)
      damaged.replaceSubrange(start..<start + count, with: bytes)
    }
    // What was zero already has not changed.
    if damaged == data { damaged[start] ^= 1 << UInt8.random(in: 0..<8, using: &numbers) }
    return damaged
  }
}

/// Numbers that are the same in every run.
private struct SeededNumbers: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }
}
