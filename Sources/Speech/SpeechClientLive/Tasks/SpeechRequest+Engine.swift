import AudioCore
import AudioThreads
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

  /// The maximum length of a grammar, because a device may be endless.
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

extension SpeechClientError {
  /// The client's error for an error of an engine or the system; any other error unchanged.
  static func mapped(_ error: any Error) -> any Error {
    switch error {
    case let error as SpeechEngineError: SpeechClientError(error)
    case is SystemError: SpeechClientError.noResources(reason: "\(error)")
    default: error
    }
  }

  /// The client's error for any error of an engine.
  init(of error: any Error) {
    self =
      Self.mapped(error) as? SpeechClientError ?? .engineFailed(reason: "\(error)")
  }

  private init(_ error: SpeechEngineError) {
    switch error {
    case .failed(let reason): self = .engineFailed(reason: reason)
    case .interrupted: self = .engineFailed(reason: "\(error)")
    case .grammarInvalid: self = .invalidGrammar(reason: "\(error)")
    case .modelMissing, .modelUnreadable, .modelDamaged, .languageMissing, .libraryMissing,
      .unreachable, .modelNotInstalled:
      self = .unavailable(reason: "\(error)")
    case .wordUnknown, .optionInvalid, .unsupported:
      self = .invalidRequest(reason: "\(error)")
    }
  }
}

extension AuthorizationStatus {
  /// The status that follows from an engine's error.
  init(_ error: any Error) {
    if case SpeechEngineError.modelUnreadable = error {
      self = .restricted(reason: "\(error)")
    } else {
      self = .denied(reason: "\(error)")
    }
  }
}

/// Counts an engine's consecutive failures; each one costs an utterance.
struct FailureCount {
  /// The number of consecutive failures that ends the stream of an engine in a separate process.
  static let remoteLimit = 3

  /// The last failure, if no utterance has been recognized since.
  private(set) var last: (any Error)?
  private let limit: Int
  private var count = 0

  /// - Parameter limit: the number of consecutive failures that ends the stream; with 0 or 1, every
  ///   failure does.
  init(limit: Int) {
    self.limit = limit
  }

  /// Counts a failure; returns whether the stream continues, which a permanent failure ends.
  mutating func canContinue(after error: any Error) -> Bool {
    count += 1
    guard count < limit else { return false }
    switch error {
    case SpeechEngineError.failed, SpeechEngineError.unreachable:
      last = error
      return true
    default: return false
    }
  }

  /// An utterance has been recognized.
  mutating func reset() {
    (last, count) = (nil, 0)
  }
}
