import AudioThreads
import FilePaths
import Glibc

/// A text file that is read as a whole.
struct TextFile {
  /// The file's name; - is standard input.
  let name: FilePath

  init(_ name: FilePath) {
    self.name = name
  }

  /// Whether it is a pipe, which can be read only once: a shell's `<(command)`, or one of `mkfifo`.
  var isPipe: Bool {
    name.status.map { $0.st_mode & S_IFMT } == S_IFIFO
  }

  /// Reads the text on a thread of its own, because a pipe may block.
  ///
  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: `CommandFailure`, `ThreadError`, `CancellationError`.
  func text(atMost limit: Int = .max) async throws -> String {
    try await DedicatedThread.run(name: "syrinx-text") { try read(atMost: limit) }
  }

  private func read(atMost limit: Int) throws -> String {
    let bytes = try bytes(atMost: limit)
    guard bytes.count <= limit else {
      throw CommandFailure("\(name.shownName) has more than \(limit) bytes")
    }
    // UTF-16 may be valid UTF-8 too, with zeros.
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw CommandFailure("\(name.shownName) is not UTF-8 text")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  private func bytes(atMost limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FilePathError) {
      return name == "-"
        ? try FilePath.contents(of: STDIN_FILENO, atMost: limit) : try name.contents(atMost: limit)
    } catch {
      throw CommandFailure("cannot read \(name.shownName): \(error.readingReason)")
    }
  }
}
