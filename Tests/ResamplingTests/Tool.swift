import Foundation

/// Gives raw samples to SoX and takes what it makes of them.
enum Tool {
  /// A program that is not installed fails the test: what it would have shown stays unknown.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Mono float samples, resampled by SoX.
  static func sox(_ samples: [Float], from: Int, to: Int) throws -> [Float] {
    let file = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: file) }
    try samples.withUnsafeBytes { Data($0) }.write(to: file)
    let format = ["-t", "f32", "-c", "1", "-r", "\(from)"]
    let output = try run(format + [file.path, "-t", "f32", "-", "rate", "-h", "\(to)"])
    return output.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }

  private static func run(_ arguments: [String]) throws -> Data {
    let path = "/usr/bin/sox"
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw Failure(description: "sox is missing: apt-get install sox")
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardOutput = output
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Failure(description: "sox ended with \(process.terminationStatus)")
    }
    return data
  }
}
