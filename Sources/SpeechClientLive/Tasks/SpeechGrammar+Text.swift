import FoundationEssentials
import SpeechClient

extension SpeechGrammar {
  /// The grammar's text, read here and now where it is a file.
  func text() throws(SpeechClientError) -> String {
    switch self {
    case .text(let text): return text
    case .file(let url):
      do {
        return try String(contentsOf: url, encoding: .utf8)
      } catch {
        throw .invalidGrammar(reason: "\(url.path) cannot be read as UTF-8 text")
      }
    }
  }
}
