import CPocketSphinx
import Logging
import Synchronization

/// PocketSphinx' log, which goes to swift-log and never to stderr.
///
/// Nothing in it is higher than debug: what PocketSphinx calls an error comes back as an error of
/// ours.
enum SphinxLog {
  static let label = "syrinx.pocketsphinx"

  /// The corresponding C function is `err_set_callback`; it holds for the whole process, so once is
  /// enough.
  static let redirect: Void = syrinx_redirect_sphinx_log()

  /// Who wants to know the errors that PocketSphinx tells in its log alone, while it is called on
  /// this thread.
  @TaskLocal static var errors: SphinxErrors?

  static func level(of level: Int32) -> Logger.Level {
    level >= Int32(ERR_WARN.rawValue) ? .debug : .trace
  }
}

/// Takes one line of the log, on whichever thread PocketSphinx runs.
@_cdecl("syrinx_take_sphinx_log")
func takeSphinxLog(level: Int32, line: UnsafePointer<CChar>) {
  let logger = Logger(label: SphinxLog.label)
  let text = String(cString: line)
  if level >= Int32(ERR_ERROR.rawValue) { SphinxLog.errors?.add(text.withoutPlace) }
  logger.log(level: SphinxLog.level(of: level), "\(text.trimmedAtEnd)")
}

/// The errors of a call, in order.
final class SphinxErrors: Sendable {
  // Held to add a line and to read them.
  private let lines = Mutex<[String]>([])

  var all: [String] { lines.withLock { $0 } }

  func add(_ line: String) {
    lines.withLock { $0.append(line) }
  }

  /// The errors that PocketSphinx tells while `body` calls it.
  static func during(_ body: () -> Void) -> [String] {
    let errors = SphinxErrors()
    SphinxLog.$errors.withValue(errors, operation: body)
    return errors.all
  }
}

extension String {
  /// The line without the place in PocketSphinx' sources: `ERROR: "jsgf.c", line 340: `.
  fileprivate var withoutPlace: String {
    let parts = trimmedAtEnd.split(separator: ": ", maxSplits: 2)
    guard parts.count == 3, hasPrefix("ERROR: \"") else { return String(trimmedAtEnd) }
    return String(parts[2])
  }

  /// The text without the line breaks at its end.
  fileprivate var trimmedAtEnd: Substring {
    self[..<(lastIndex { !$0.isNewline }.map(index(after:)) ?? startIndex)]
  }
}
