import AudioThreads
import Glibc

/// The transcript of one file as a file: under its name only when it is complete.
///
/// It is written, on a thread of its own, as NAME.part; what is not completed is removed.
actor TranscriptFile: LineOutput {
  private let executor: ThreadExecutor
  private let path: String
  private let output: StandardDescriptor
  private var isOpen = true

  /// Begins a file beside the one that it will replace.
  ///
  /// - Throws: `CommandFailure`; `ThreadError` where the system has no thread left.
  init(path: String) throws {
    executor = try ThreadExecutor(name: "syrinx-text")
    self.path = path
    let descriptor = open(path + ".part", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw CommandFailure(writing: path, code: errno) }
    output = StandardDescriptor(rawValue: descriptor, name: path)
  }

  isolated deinit {
    discard()
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func print(_ line: String) throws(OutputError) {
    try output.write(line + "\n")
  }

  /// Removes the file, where it has not been completed.
  func discard() {
    guard isOpen else { return }
    isOpen = false
    close(output.rawValue)
    unlink(path + ".part")
  }

  /// Closes the file and gives it its name; where that fails, nothing is left of it.
  func complete() throws(CommandFailure) {
    isOpen = false
    let isStored = fsync(output.rawValue) == 0 || errno == EINVAL
    var code = errno
    close(output.rawValue)
    if isStored {
      guard rename(path + ".part", path) != 0 else { return }
      code = errno
    }
    unlink(path + ".part")
    throw CommandFailure(writing: path, code: code)
  }
}

extension CommandFailure {
  /// A file could not be made; with the code of C.
  init(writing path: String, code: Int32) {
    self.init(
      description: "cannot write \(path): \(String(cString: strerror(code))) (errno \(code))")
  }
}
