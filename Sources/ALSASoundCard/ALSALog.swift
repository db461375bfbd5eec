import CALSA
import Logging

/// Redirects ALSA's stderr messages to the log with the label `syrinx.alsa` at level debug.
enum ALSALog {
  /// Installs the process-wide ALSA error handler once.
  static func install() { _ = isInstalled }

  private static let isInstalled =
    syrinx_alsa_send_errors_to { function, code, message in
      ALSALog.report(text(message), from: text(function), code: code, to: logger)
    } == 0

  private static let logger = Logger(label: "syrinx.alsa")

  /// Logs a message of this module.
  static func note(_ message: @autoclosure () -> String) { logger.debug("\(message())") }

  static func report(
    _ message: @autoclosure () -> String, from function: @autoclosure () -> String, code: Int32,
    to logger: Logger
  ) {
    logger.debug(
      "\(message())", metadata: ["function": "\(function())", "code": "\(code)"])
  }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }
}
