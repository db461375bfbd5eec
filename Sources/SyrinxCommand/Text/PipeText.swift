import AudioThreads
import Glibc

/// A text in a pipe, which can be read but once: what `<(command)` of a shell is, or `mkfifo` makes.
struct PipeText {
  /// No text that a recogniser takes is longer; a pipe may have no end.
  static let longest = 16_777_216

  /// The pipe's name.
  let name: String

  /// Nil for what is no pipe, or is not there.
  init?(_ name: String) {
    var status = stat()
    guard stat(name, &status) == 0, status.st_mode & S_IFMT == S_IFIFO else { return nil }
    self.name = name
  }

  /// The text without a mark of byte order, read on a thread of its own, because a pipe takes its
  /// time.
  ///
  /// - Throws: `CommandFailure`, `ThreadError`.
  func text() async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try DedicatedThread.start(name: "syrinx-text") { [self] in
          continuation.resume(with: Result { try read() })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func read() throws(CommandFailure) -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else {
      throw CommandFailure(description: "\(name) is not UTF-8 text")
    }
    return text.unicodeScalars.first == "\u{FEFF}" ? String(text.unicodeScalars.dropFirst()) : text
  }

  private func bytes() throws(CommandFailure) -> [UInt8] {
    let pipe = open(name, O_RDONLY | O_CLOEXEC)
    guard pipe >= 0 else { throw trouble(errno) }
    defer { close(pipe) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = Glibc.read(pipe, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw trouble(errno) }
      if count == 0 { return bytes }
      bytes += part[..<count]
      guard bytes.count <= Self.longest else {
        throw CommandFailure(description: "\(name) gives more than \(Self.longest) bytes")
      }
    }
  }

  private func trouble(_ code: Int32) -> CommandFailure {
    CommandFailure(description: "cannot read \(name): \(String(cString: strerror(code)))")
  }
}
