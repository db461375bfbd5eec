import AudioCore
import AudioThreads
import FilePaths
import FoundationEssentials
import SpeechClient
import SpeechEngine
import Synchronization

extension SpeechEngine {
  /// Throws `.unsupported` if the options request a language feature that the engine lacks.
  func checkLanguage(_ options: SpeechSessionOptions) throws(SpeechEngineError) {
    let missing = options.needed.subtracting(capabilities)
    if missing.contains(.translation) { throw .unsupported("translation", engine: name) }
    if missing.contains(.languageDetection) {
      throw .unsupported("the detection of languages", engine: name)
    }
  }

  /// Returns a copy of the engine whose sessions all use this grammar.
  ///
  /// The first session reads the grammar on its own thread, because reading a file may take long.
  /// Later sessions use the same text, because a pipe cannot be read again.
  func reading(_ grammar: SpeechGrammar?) -> SpeechEngine {
    guard let grammar else { return self }
    // The lock is held while the grammar is read, because every caller needs the grammar anyway.
    let reading = Mutex<Result<String, SpeechClientError>?>(nil)
    var engine = self
    engine.makeSession = { [makeSession] options in
      let text = reading.withLock { known in
        let text = known ?? Result { () throws(SpeechClientError) in try grammar.text() }
        known = text
        return text
      }
      var options = options
      options.grammar = try text.get()
      return try makeSession(options)
    }
    return engine
  }
}

extension SpeechGrammar {
  /// Returns the grammar's text.
  ///
  /// If the grammar is in a pipe, this blocks until the pipe's writer is done.
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

  /// The maximum length of a grammar in bytes, because a device file may never end.
  private static let longest = 16_777_216
}

extension String {
  /// The text without the byte order mark that some editors put at the beginning.
  fileprivate var withoutMark: String {
    unicodeScalars.first == "\u{FEFF}" ? String(unicodeScalars.dropFirst()) : self
  }
}

extension SpeechSessionOptions {
  /// Creates the engine's options for a request, except the grammar, which is read later.
  init(_ request: SpeechRequest) throws(SpeechClientError) {
    self.init(
      wantsPartialHypotheses: request.shouldReportPartialResults,
      language: request.locale)
    hasGrammar = request.grammar != nil
    keyPhrases = try request.checkedKeyPhrases()
    contextualPhrases = request.contextualPhrases
    alternativeCount = max(0, request.alternativeCount)
    measuresWordTimes = request.measuresWordTimes
    translates = request.translates
    engineOptions = request.engineOptions
  }

  /// The time to say the longest key phrase: a second for each word.
  var longestKeyPhrase: Duration {
    .seconds(keyPhrases.map { $0.text.split(separator: " ").count }.max() ?? 0)
  }
}

extension SpeechClientError {
  /// Returns the client's error for an error of an engine or the system, and any other error
  /// unchanged.
  static func mapped(_ error: any Error) -> any Error {
    switch error {
    case let error as SpeechEngineError: SpeechClientError(error)
    case is SystemError: SpeechClientError.noResources(reason: "\(error)")
    default: error
    }
  }

  /// Creates the client's error from any error of an engine.
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
  /// Creates the authorization status for an engine that failed with this error.
  init(_ error: any Error) {
    if case SpeechEngineError.modelUnreadable = error {
      self = .restricted(reason: "\(error)")
    } else {
      self = .denied(reason: "\(error)")
    }
  }
}

extension SpeechEngineError {
  /// Whether the next utterance may succeed with a new session.
  var isTransient: Bool {
    switch self {
    case .failed, .unreachable: true
    default: false
    }
  }
}
