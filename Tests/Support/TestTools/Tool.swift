package import Foundation

/// Runs the programs with which Syrinx is compared.
package enum Tool {
  /// The error if a program is missing or fails.
  ///
  /// A missing program makes a test fail.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) {
      self.description = description
    }
  }

  /// Runs a program to its end and returns its standard output.
  @discardableResult
  package static func run(_ name: String, package: String, _ arguments: [String]) throws -> Data {
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
  package static func sox(_ arguments: String...) throws -> Data {
    try run("sox", package: "sox libsox-fmt-all", arguments)
  }

  @discardableResult
  package static func ffmpeg(_ arguments: String...) throws -> Data {
    try run("ffmpeg", package: "ffmpeg", ["-v", "error", "-y"] + arguments)
  }
}

extension Data {
  /// Raw 32-bit float samples, as `sox -t f32 -` and `ffmpeg -f f32le -` write them.
  package var floats: [Float] {
    withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
  }
}
