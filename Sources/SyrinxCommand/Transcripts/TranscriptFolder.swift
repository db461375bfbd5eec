import ArgumentParser
import AudioThreads
import FilePaths
import Glibc
import SoundFile

/// The folder of `--output-dir`: a transcript for each file, named after it.
struct TranscriptFolder {
  let path: FilePath
  let style: TranscriptStyle

  /// Refuses files whose transcripts would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
    for file in files {
      if let other = owners.updateValue(file, forKey: name(for: file)) {
        throw ValidationError(
          "\(other) and \(file) would both be transcribed to \(name(for: file)); "
            + "give them folders of their own.")
      }
    }
  }

  /// Makes the folder where there is none.
  func make() throws(CommandFailure) {
    do throws(FilePathError) {
      try path.makeFolder()
    } catch {
      throw CommandFailure(description: "cannot make the folder \(path): \(error.reason)")
    }
  }

  func file(for input: FilePath) throws -> TranscriptFile {
    try TranscriptFile(path: path.appending(name(for: input)).text)
  }

  /// `talk.wav` becomes `talk.txt`; standard input is `stdin`.
  func name(for input: FilePath) -> FilePath {
    FilePath("\(input == "-" ? "stdin" : input.stem.text).\(style.pathExtension)")
  }
}

/// What takes a transcript line by line.
protocol LineOutput: Sendable {
  /// Writes a line and a line feed.
  func print(_ line: String) async throws
}

extension Console: LineOutput {}

/// The transcript of one file as a file: under its name only when it is complete.
///
/// It is written on a thread of its own; of what is not completed nothing is left.
actor TranscriptFile: LineOutput {
  private let executor: ThreadExecutor
  private let path: String
  /// Nil once it is completed or given up.
  private var file: PendingFile?

  /// Begins a file beside the one that it will replace.
  ///
  /// - Throws: `CommandFailure`; `ThreadError` where the system has no thread left.
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

  /// Removes the file, where it has not been completed.
  func discard() {
    file = nil
  }

  /// Has the disk store the file and gives it its name; where that fails, nothing is left of it.
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
