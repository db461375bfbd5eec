import ArgumentParser
import AudioThreads
import FilePaths
import Glibc
import SoundFile

/// The folder of `--output-dir`, with a transcript per file and format.
struct TranscriptFolder {
  let path: FilePath
  let styles: [TranscriptStyle]

  /// Throws if the transcripts of two named files would have the same name.
  func check(_ files: [FilePath]) throws {
    var owners: [FilePath: FilePath] = [:]
    for file in files where !file.isFolder {
      let name = file.ownPlace.withoutExtension
      if let other = owners.updateValue(file, forKey: name) {
        throw ValidationError(
          "the transcripts of \(other) and \(file) would both be \(name).\(styles[0].pathExtension); "
            + "write them to separate folders.")
      }
    }
  }

  /// Creates the folder if it does not exist.
  func make() throws(CommandFailure) {
    try make(path)
  }

  /// Begins the transcripts of an input, in the order of the styles.
  func files(for input: TranscriptionInput) throws -> [TranscriptFile] {
    try styles.map { style in
      let file = file(for: input, style)
      try make(file.folder)
      return try TranscriptFile(path: file.text)
    }
  }

  /// Whether all transcripts of an input exist.
  func hasTranscripts(of input: TranscriptionInput) -> Bool {
    styles.allSatisfy { FileVersion(file(for: input, $0).status) != nil }
  }

  /// The list or the manifest of the folder, if a transcript of an input would have its name.
  func ownFile(namedLikeTranscriptsOf input: TranscriptionInput) -> FilePath? {
    let own = [TranscriptArchive.failedName, TranscriptArchive.manifestName].map(path.appending)
    return own.first(where: styles.map { file(for: input, $0) }.contains)
  }

  /// `2024/talk.wav` becomes `2024/talk.txt`.
  func file(for input: TranscriptionInput, _ style: TranscriptStyle) -> FilePath {
    path.appending(
      FilePath(bytes: input.place.withoutExtension.bytes + ".\(style.pathExtension)".utf8))
  }

  private func make(_ folder: FilePath) throws(CommandFailure) {
    do throws(FilePathError) {
      try folder.makeFolder()
    } catch {
      throw CommandFailure(description: "cannot create the folder \(folder): \(error.reason)")
    }
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
  /// - Throws: `SoundFileError`; `ThreadError` if the system has no thread left.
  init(path: String) throws {
    executor = try ThreadExecutor(name: "syrinx-text")
    self.path = path
    file = try PendingFile(for: path)
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
  func complete() throws(SoundFileError) {
    guard let file = file.take() else { return }
    try file.descriptor.synchronize(path: path)
    try file.publish()
  }
}
