import Foundation

/// Runs the programs that we are compared with.
enum Tool {
  /// A program that is not installed fails the test: what it would have shown stays unknown.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// Runs to the end and gives what was written to standard output.
  @discardableResult
  static func run(_ name: String, package: String, _ arguments: [String]) throws -> Data {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let path = folders.map { "\($0)/\(name)" }.first(
      where: FileManager.default.isExecutableFile(atPath:))
    guard let path else {
      throw Failure(description: "\(name) is missing: apt-get install \(package)")
    }
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let data = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      let line = ([name] + arguments).joined(separator: " ")
      throw Failure(description: "`\(line)` ended with \(process.terminationStatus)")
    }
    return data
  }

  @discardableResult
  static func sox(_ arguments: String...) throws -> Data {
    try run("sox", package: "sox libsox-fmt-all", arguments)
  }

  @discardableResult
  static func ffmpeg(_ arguments: String...) throws -> Data {
    try run("ffmpeg", package: "ffmpeg", ["-v", "error", "-y"] + arguments)
  }
}

extension Data {
  /// Raw 32-bit float samples, as `sox -t f32 -` and `ffmpeg -f f32le -` write them.
  var floats: [Float] {
    withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
