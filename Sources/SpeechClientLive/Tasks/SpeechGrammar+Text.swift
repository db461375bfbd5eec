import FilePaths
import FoundationEssentials
import Glibc
import SpeechClient

extension SpeechGrammar {
  /// The grammar's text, read here and now where it is a file; a pipe is waited for.
  func text() throws(SpeechClientError) -> String {
    switch self {
    case .text(let text): return text.withoutMark
    case .file(let url):
      let bytes = try Self.bytes(of: url)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw .invalidGrammar(reason: "\(FilePath(url)) is not UTF-8 text; save it as such")
      }
      return text.withoutMark
    }
  }

  private static func bytes(of url: URL) throws(SpeechClientError) -> [UInt8] {
    let path = FilePath(url)
    let bytes: [UInt8]
    do throws(FilePathError) {
      bytes = try path.contents(atMost: longest)
    } catch {
      throw trouble(error, path)
    }
    guard bytes.count <= longest else {
      throw .invalidGrammar(reason: "\(path) is longer than \(longest) bytes")
    }
    return bytes
  }

  /// No grammar that anybody wrote is longer; a device may have no end.
  private static let longest = 16_777_216

  private static func trouble(_ error: FilePathError, _ path: FilePath) -> SpeechClientError {
    switch error.code {
    case ENOENT, ENOTDIR:
      .invalidGrammar(reason: "there is no \(path); check the name and its folder")
    case EISDIR:
      .invalidGrammar(reason: "\(path) is a folder; name the file with the grammar")
    case EACCES, EPERM:
      .invalidGrammar(reason: "\(path) may not be read by this user; change its permissions")
    default:
      .invalidGrammar(reason: "\(path) cannot be read: \(error.reason)")
    }
  }
}

extension String {
  /// The text without the mark of byte order that some editors begin a file with.
  fileprivate var withoutMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
