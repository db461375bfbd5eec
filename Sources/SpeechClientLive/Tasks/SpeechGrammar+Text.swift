import FilePaths
import FoundationEssentials
import SpeechClient

extension SpeechGrammar {
  /// The grammar's text; reads a file at once and waits for a pipe.
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
      throw .invalidGrammar(reason: "cannot read \(path): \(error.readingReason)")
    }
    guard bytes.count <= longest else {
      throw .invalidGrammar(reason: "\(path) is longer than \(longest) bytes")
    }
    return bytes
  }

  /// No written grammar is longer; a device may be endless.
  private static let longest = 16_777_216
}

extension String {
  /// The text without the byte order mark that some editors put at the beginning.
  fileprivate var withoutMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}
