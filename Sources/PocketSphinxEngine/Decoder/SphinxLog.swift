import CPocketSphinx
import Logging

/// PocketSphinx' log, which goes to swift-log and never to stderr.
///
/// Nothing in it is higher than debug: what PocketSphinx calls an error comes back as an error of
/// ours.
enum SphinxLog {
  static let label = "syrinx.pocketsphinx"

  /// The corresponding C function is `err_set_callback`; it holds for the whole process, so once is
  /// enough.
  static let redirect: Void = syrinx_redirect_sphinx_log()

  static func level(of level: Int32) -> Logger.Level {
    level >= Int32(ERR_WARN.rawValue) ? .debug : .trace
  }
}

/// Takes one line of the log, on whichever thread PocketSphinx runs.
@_cdecl("syrinx_take_sphinx_log")
func takeSphinxLog(level: Int32, line: UnsafePointer<CChar>) {
  let logger = Logger(label: SphinxLog.label)
  let text = String(cString: line)
  logger.log(level: SphinxLog.level(of: level), "\(text.trimmedAtEnd)")
}

extension String {
  /// The text without the line breaks at its end.
  fileprivate var trimmedAtEnd: Substring {
    self[..<(lastIndex { !$0.isNewline }.map(index(after:)) ?? startIndex)]
  }
}
