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
        throw .invalidGrammar(reason: "\(url.path) is not UTF-8 text; save it as such")
      }
      return text.withoutMark
    }
  }

  private static func bytes(of url: URL) throws(SpeechClientError) -> [UInt8] {
    // Foundation reads no pipes.
    let file = open(url.path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw trouble(errno, url) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = read(file, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw trouble(errno, url) }
      if count == 0 { return bytes }
      bytes += part[..<count]
      guard bytes.count <= longest else {
        throw .invalidGrammar(reason: "\(url.path) is longer than \(longest) bytes")
      }
    }
  }

  /// No grammar that anybody wrote is longer; a device may have no end.
  private static let longest = 16_777_216

  private static func trouble(_ code: Int32, _ url: URL) -> SpeechClientError {
    let path = url.path
    return switch code {
    case ENOENT, ENOTDIR:
      .invalidGrammar(reason: "there is no \(path); check the name and its folder")
    case EISDIR:
      .invalidGrammar(reason: "\(path) is a folder; name the file with the grammar")
    case EACCES, EPERM:
      .invalidGrammar(reason: "\(path) may not be read by this user; change its permissions")
    default:
      .invalidGrammar(reason: "\(path) cannot be read: \(String(cString: strerror(code)))")
    }
  }
}

extension String {
  /// The text without the mark of byte order that some editors begin a file with.
  fileprivate var withoutMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
