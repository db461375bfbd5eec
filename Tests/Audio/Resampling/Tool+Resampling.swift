import Foundation
import TestTools

extension Tool {
  /// Returns mono float samples that SoX has resampled.
  static func sox(_ samples: [Float], from: Int, to: Int) throws -> [Float] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try samples.withUnsafeBytes { Data($0) }.write(to: file)
    let format = ["-t", "f32", "-c", "1", "-r", "\(from)"]
    let source = format + [file.path]
    return try run(
      "sox", package: "sox", source + ["-t", "f32", "-", "rate", "-h", "\(to)"]
    ).floats
  }
}
