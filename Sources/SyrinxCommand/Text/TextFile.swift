import AudioThreads
import Foundation

/// A text that is read as a whole.
struct TextFile {
  /// The file's name; - is standard input.
  let name: String

  init(_ name: String) {
    self.name = name
  }

  /// The text, read on a thread of its own, because a pipe takes its time.
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

  private func read() throws -> String {
    guard let text = String(validating: try data(), as: UTF8.self) else {
      throw CommandFailure(description: "\(shownName) is not a text in UTF-8")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  private func data() throws -> Data {
    do {
      return name == "-"
        ? try FileHandle.standardInput.readToEnd() ?? Data()
        : try Data(contentsOf: URL(filePath: name))
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
