import AudioThreads
import Foundation
import Glibc

/// A text that is read as a whole.
struct TextFile {
  /// The file's name; - is standard input.
  let name: String

  init(_ name: String) {
    self.name = name
  }

  /// Whether it is a pipe, which can be read but once: `<(command)` of a shell, or what `mkfifo`
  /// makes.
  var isPipe: Bool {
    var status = stat()
    return stat(name, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
  }

  /// The text, read on a thread of its own, because a pipe takes its time.
  ///
  /// - Parameter limit: how many bytes there may be; nil for any number.
  /// - Throws: `CommandFailure`, `ThreadError`.
  func text(atMost limit: Int? = nil) async throws -> String {
    try await withCheckedThrowingContinuation { continuation in
      do {
        _ = try DedicatedThread.start(name: "syrinx-text") { [self] in
          continuation.resume(with: Result { try read(atMost: limit) })
        }
      } catch {
        continuation.resume(throwing: error)
      }
    }
  }

  private func read(atMost limit: Int?) throws -> String {
    let data = try data(atMost: limit.map { $0 + 1 })
    if let limit, data.count > limit {
      throw CommandFailure(description: "\(shownName) gives more than \(limit) bytes")
    }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw CommandFailure(description: "\(shownName) is not a text in UTF-8")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  private func data(atMost limit: Int?) throws -> Data {
    do {
      // Of a path Foundation reads no pipe; of a handle it does.
      let file =
        name == "-"
        ? FileHandle.standardInput : try FileHandle(forReadingFrom: URL(filePath: name))
      guard let limit else { return try file.readToEnd() ?? Data() }
      var data = Data()
      while data.count < limit, let part = try file.read(upToCount: limit - data.count),
        !part.isEmpty
      {
        data += part
      }
      return data
    } catch {
      throw CommandFailure(description: "cannot read \(shownName): \(reason(error))")
    }
  }

  private var shownName: String { name == "-" ? "standard input" : name }

  private func reason(_ error: any Error) -> String {
    switch (error as? CocoaError)?.code {
    case .fileReadNoSuchFile: "there is no such file"
    case .fileReadNoPermission: "this user may not read it"
    default: error.localizedDescription
    }
  }
}
