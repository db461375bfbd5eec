import AudioCore
import FilePaths
import FoundationEssentials
import SpeechClient
import SpeechEngine
import Synchronization

extension SpeechEngine {
  /// The engine with this grammar for its sessions, which is read on the thread that makes the first
  /// session, because reading a file may take long.
  func reading(_ grammar: SpeechGrammar?) -> SpeechEngine {
    guard let grammar else { return self }
    let reading = GrammarReading(grammar)
    var engine = self
    engine.makeSession = { [makeSession] options in
      var options = options
      options.grammar = try reading.text()
      return try makeSession(options)
    }
    return engine
  }
}

/// Reads a grammar once, because a pipe can be read only once.
private final class GrammarReading: Sendable {
  private let grammar: SpeechGrammar
  // Held while it is read: every caller has to wait for it anyway.
  private let result = Mutex<Result<String, SpeechClientError>?>(nil)

  init(_ grammar: SpeechGrammar) {
    self.grammar = grammar
  }

  func text() throws(SpeechClientError) -> String {
    let result = self.result.withLock { known in
      let result = known ?? Result { () throws(SpeechClientError) in try grammar.text() }
      known = result
      return result
    }
    return try result.get()
  }
}

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

extension SpeechSessionOptions {
  /// The engine's options for a request, without its grammar, which is read later.
  init(_ request: SpeechRequest) throws(SpeechClientError) {
    self.init(
      wantsPartialHypotheses: request.shouldReportPartialResults,
      language: request.locale)
    keyPhrases = try request.checkedKeyPhrases()
    contextualPhrases = request.contextualPhrases
    alternativeCount = max(0, request.alternativeCount)
    measuresWordTimes = request.measuresWordTimes
    engineOptions = request.engineOptions
  }

  /// The time to say the longest key phrase: a second for each word.
  var longestKeyPhrase: Duration {
    .seconds(keyPhrases.map { $0.text.split(separator: " ").count }.max() ?? 0)
  }
}
