import AudioThreads
import Glibc
import SoundFile

/// A destination for the lines of a transcript.
protocol LineOutput: Sendable {
  /// Writes a line and a newline.
  func print(_ line: String) async throws
}

extension Console: LineOutput {}

/// A file that is written on a thread of its own and gets its name when it is complete; an incomplete
/// one leaves nothing behind.
actor PendingOutput: LineOutput {
  private let executor: ThreadExecutor
  private let path: String
  /// Nil once it is completed or discarded.
  private var file: PendingFile?

  /// Begins a file beside the one that it will replace.
  ///
  /// - Throws: `SoundFileError`; `ThreadError` if the system has no thread left.
  init(path: String) throws {
    executor = try ThreadExecutor(name: "syrinx-text")
    self.path = path
    file = try PendingFile(for: path)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func print(_ line: String) throws(OutputError) {
    try write(Array((line + "\n").utf8))
  }

  /// Writes bytes that are not a line.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    guard let file else { throw OutputError(name: path, code: EBADF) }
    try OutputDescriptor(rawValue: file.descriptor.number, name: path).write(bytes)
  }

  /// Removes the file unless it is complete.
  func discard() {
    file = nil
  }

  /// Syncs the file to disk and gives it its name; a failure leaves nothing behind.
  func complete() throws(SoundFileError) {
    guard let file = file.take() else { return }
    try file.descriptor.synchronize(path: path)
    try file.publish()
  }
}
