import ArgumentParser
import AudioThreads
import FilePaths
import Glibc
import SoundFile

/// The folder of `--output-dir`, with one transcript per file.
struct TranscriptFolder {
  let path: FilePath
  let style: TranscriptStyle

  /// Throws if the transcripts of two files would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
    for file in files {
      if let other = owners.updateValue(file, forKey: name(for: file)) {
        throw ValidationError(
          "the transcripts of \(other) and \(file) would both be \(name(for: file)); "
            + "write them to separate folders.")
      }
    }
  }

  /// Creates the folder if it does not exist.
  func make() throws(CommandFailure) {
    do throws(FilePathError) {
      try path.makeFolder()
    } catch {
      throw CommandFailure(description: "cannot create the folder \(path): \(error.reason)")
    }
  }

  func file(for input: FilePath) throws -> TranscriptFile {
    try TranscriptFile(path: path.appending(name(for: input)).text)
  }

  /// `talk.wav` becomes `talk.txt`; standard input becomes `stdin.txt`.
  func name(for input: FilePath) -> FilePath {
    FilePath("\(input == "-" ? "stdin" : input.stem.text).\(style.pathExtension)")
  }
}

/// A destination for the lines of a transcript.
protocol LineOutput: Sendable {
  /// Writes a line and a newline.
  func print(_ line: String) async throws
}

extension Console: LineOutput {}

/// A transcript file, written on a thread of its own.
///
/// It gets its name when it is complete; an incomplete transcript leaves nothing behind.
actor TranscriptFile: LineOutput {
  private let executor: ThreadExecutor
  private let path: String
  /// Nil once it is completed or discarded.
  private var file: PendingFile?

  /// Begins a file beside the one that it will replace.
  ///
  /// - Throws: `CommandFailure`; `ThreadError` if the system has no thread left.
  init(path: String) throws {
    executor = try ThreadExecutor(name: "syrinx-text")
    self.path = path
    do {
      file = try PendingFile(for: path)
    } catch {
      throw CommandFailure(description: "\(error)")
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  func print(_ line: String) throws(OutputError) {
    guard let file else { throw OutputError(name: path, code: EBADF) }
    try StandardDescriptor(rawValue: file.descriptor.number, name: path).write(line + "\n")
  }

  /// Writes bytes that are not a line.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    guard let file else { throw OutputError(name: path, code: EBADF) }
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.descriptor.number) }
    guard code == 0 else { throw OutputError(name: path, code: code) }
  }

  /// Removes the file unless it is complete.
  func discard() {
    file = nil
  }

  /// Syncs the file to disk and gives it its name; a failure leaves nothing behind.
  func complete() throws(CommandFailure) {
    guard let file = file.take() else { return }
    do {
      try file.descriptor.synchronise(path: path)
      try file.publish()
    } catch {
      throw CommandFailure(description: "\(error)")
    }
  }
}
