import CPocketSphinx
import Logging
import SpeechEngine
import Synchronization

/// Collects the errors that PocketSphinx reports only in its log, for calls on one thread.
///
/// All lines go to swift-log, never to stderr. The level is at most debug, because the engine
/// reports these errors by throwing them.
final class SphinxLog: Sendable {
  static let label = "syrinx.pocketsphinx"

  /// Redirects the log of the whole process, once.
  ///
  /// The corresponding C function is `err_set_callback`.
  static let redirect: Void = syrinx_redirect_sphinx_log()

  /// The log that collects the errors of the current call.
  @TaskLocal fileprivate static var current: SphinxLog?

  // The lock is held to add or read lines.
  fileprivate let errors = Mutex<[String]>([])

  /// Returns the errors that PocketSphinx logs during `body`, in order.
  static func errors(during body: () -> Void) -> [String] {
    let log = SphinxLog()
    $current.withValue(log, operation: body)
    return log.errors.withLock { $0 }
  }

  static func level(of level: Int32) -> Logger.Level {
    level >= Int32(ERR_WARN.rawValue) ? .debug : .trace
  }
}

/// Processes one line of the log, on the thread that calls PocketSphinx.
@_cdecl("syrinx_take_sphinx_log")
func processSphinxLog(level: Int32, line: UnsafePointer<CChar>) {
  let logger = Logger(label: SphinxLog.label)
  let text = String(cString: line)
  if level >= Int32(ERR_ERROR.rawValue) {
    SphinxLog.current?.errors.withLock { $0.append(text.withoutSourceLocation) }
  }
  logger.log(level: SphinxLog.level(of: level), "\(text.trimmedAtEnd)")
}

extension String {
  /// The line without PocketSphinx's source location: `ERROR: "jsgf.c", line 340: `.
  fileprivate var withoutSourceLocation: String {
    let parts = trimmedAtEnd.split(separator: ": ", maxSplits: 2)
    guard parts.count == 3, hasPrefix("ERROR: \"") else { return String(trimmedAtEnd) }
    return String(parts[2])
  }

  /// The text without the line breaks at its end.
  fileprivate var trimmedAtEnd: Substring {
    self[..<(lastIndex { !$0.isNewline }.map(index(after:)) ?? startIndex)]
  }
}

extension SpeechEngineError {
  /// Creates the error for a well-formed grammar that PocketSphinx rejects, from the first error in
  /// its log; nil if the log has no error.
  init?(grammarErrors errors: [String], in grammar: String) {
    guard let error = errors.first else { return nil }
    let start = "The word '"
    guard error.hasPrefix(start) else {
      self = .grammarInvalid(line: nil, reason: error)
      return
    }
    // The closing quotation mark may be missing, because PocketSphinx truncates log lines with long
    // words.
    let rest = error.dropFirst(start.count)
    let word = rest.firstRange(of: "' is missing").map { rest[..<$0.lowerBound] } ?? rest
    let remedy =
      word.hasPrefix("\"")
      ? "; write the words one by one, without quotation marks" : " (its words are in lower case)"
    self = .grammarInvalid(
      line: Self.line(of: String(word), in: grammar),
      reason: "the word \(word.quoted) is not in the dictionary\(remedy)")
  }

  /// Returns the first line that contains the word as a whole, or else as a part.
  private static func line(of word: String, in grammar: String) -> Int? {
    let lines = grammar.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let index = lines.firstIndex { line in
      line.split { !($0.isLetter || $0.isNumber || "'-._".contains($0)) }.contains { $0 == word }
    }
    // A partial match suffices for a word with unusual characters, and for a word that PocketSphinx
    // truncated.
    return (index ?? lines.firstIndex { $0.contains(word) }).map { $0 + 1 }
  }
}

extension StringProtocol {
  /// The text, truncated to 40 characters for a message.
  fileprivate var clipped: String { count > 40 ? "\(prefix(40))…" : String(self) }

  /// The clipped text in quotation marks, unless it begins with a quotation mark.
  fileprivate var quoted: String { hasPrefix("\"") ? clipped : "\"\(clipped)\"" }
}
