import AudioThreads
import Foundation
import TestTools

/// A running command, whose output a test can read, and to which it can send signals.
final class RunningCommand: Sendable {
  /// The output to read; the other output is discarded.
  enum Watched {
    case output, error, both
  }

  /// The lines that the command writes to the watched output.
  let lines: AsyncStream<String>
  private let identifier: Int32
  private let statuses: AsyncStream<Int32>

  convenience init(_ arguments: String..., in folder: TestFolder, watching watched: Watched) throws
  {
    try self.init(arguments: arguments, in: folder, watching: watched)
  }

  init(
    arguments: [String], in folder: TestFolder, environment: [String: String] = [:],
    watching watched: Watched
  ) throws {
    let process = BuiltCommand.process(
      BuiltCommand.url, arguments, in: folder, environment: environment)
    let pipe = Pipe()
    process.standardOutput = watched != .error ? pipe : FileHandle.nullDevice
    process.standardError = watched != .output ? pipe : FileHandle.nullDevice
    let (statuses, status) = AsyncStream.makeStream(of: Int32.self)
    process.terminationHandler = {
      status.yield($0.shellStatus)
      status.finish()
    }
    try process.run()
    identifier = process.processIdentifier
    self.statuses = statuses
    lines = try readLines(of: pipe)
  }

  func send(_ signal: Int32) {
    kill(identifier, signal)
  }

  /// Waits for the end of the command and returns its exit status.
  func status() async -> Int32? {
    var iterator = statuses.makeAsyncIterator()
    return await iterator.next()
  }
}

/// Returns the lines of a pipe, read on a separate thread.
private func readLines(of pipe: Pipe) throws -> AsyncStream<String> {
  let (lines, line) = AsyncStream.makeStream(of: String.self)
  let descriptor = dup(pipe.fileHandleForReading.fileDescriptor)
  _ = try DedicatedThread.start(name: "lines") {
    guard let file = fdopen(descriptor, "r") else { return line.finish() }
    var text: UnsafeMutablePointer<CChar>?
    var capacity = 0
    while getline(&text, &capacity, file) > 0, let text {
      line.yield(String(cString: text).trimmingCharacters(in: .newlines))
    }
    free(text)
    fclose(file)
    line.finish()
  }
  return lines
}

extension AsyncStream<String> {
  /// Returns the next line that contains a text, and skips the lines before it.
  func first(containing text: String) async -> String? {
    await first { $0.contains(text) }
  }
}
