import CPocketSphinx
import Logging
import Synchronization

/// Sends PocketSphinx's log to swift-log, never to stderr.
///
/// The level is at most debug, because the engine throws the errors that PocketSphinx logs.
enum SphinxLog {
  static let label = "syrinx.pocketsphinx"

  /// Redirects the log of the whole process, once.
  ///
  /// The corresponding C function is `err_set_callback`.
  static let redirect: Void = syrinx_redirect_sphinx_log()

  /// Collects the errors that PocketSphinx reports only in its log, for calls on this thread.
  @TaskLocal static var errors: SphinxErrors?

  static func level(of level: Int32) -> Logger.Level {
    level >= Int32(ERR_WARN.rawValue) ? .debug : .trace
  }
}

/// Processes one line of the log, on the thread that calls PocketSphinx.
@_cdecl("syrinx_take_sphinx_log")
func processSphinxLog(level: Int32, line: UnsafePointer<CChar>) {
  let logger = Logger(label: SphinxLog.label)
  let text = String(cString: line)
  if level >= Int32(ERR_ERROR.rawValue) { SphinxLog.errors?.add(text.withoutSourceLocation) }
  logger.log(level: SphinxLog.level(of: level), "\(text.trimmedAtEnd)")
}

/// The errors of a call, in order.
final class SphinxErrors: Sendable {
  // The lock is held to add or read lines.
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  /// The errors that PocketSphinx logs during `body`.
  static func during(_ body: () -> Void) -> [String] {
    let errors = SphinxErrors()
    SphinxLog.$errors.withValue(errors, operation: body)
    return errors.all
  }
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

/// The reason that PocketSphinx rejects a well-formed grammar, from its log.
struct GrammarProblem: Equatable {
  let reason: String
  /// The line, from 1; nil if it is unknown.
  private(set) var line: Int?

  /// Creates the problem from the first error; nil if there is none.
  init?(_ errors: [String], in grammar: String) {
    guard let error = errors.first else { return nil }
    guard error.hasPrefix("The word '") else {
      reason = error
      return
    }
    // PocketSphinx truncates a long word at the end of the log line.
    let word = error.split(separator: "'", omittingEmptySubsequences: false).dropFirst().first ?? ""
    let remedy =
      word.hasPrefix("\"")
      ? "; write the words one by one, without quotation marks" : " (its words are in lower case)"
    reason = "the word \(word.quoted) is not in the dictionary\(remedy)"
    line = Self.line(of: String(word), in: grammar)
  }

  /// The first line that contains the word as a whole.
  private static func line(of word: String, in grammar: String) -> Int? {
    let lines = grammar.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let index = lines.firstIndex { line in
      line.split { !($0.isLetter || $0.isNumber || "'-._".contains($0)) }.contains { $0 == word }
    }
    // The fallback is for a word with other characters, or the beginning of a long word.
    return (index ?? lines.firstIndex { $0.contains(word) }).map { $0 + 1 }
  }
}

extension StringProtocol {
  /// The text, truncated to 40 characters for a message.
  fileprivate var clipped: String { count > 40 ? "\(prefix(40))…" : String(self) }

  /// The clipped text in quotation marks, unless it begins with one.
  fileprivate var quoted: String { hasPrefix("\"") ? clipped : "\"\(clipped)\"" }
}
