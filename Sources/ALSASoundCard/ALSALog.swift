import CALSA
import Logging

/// Sends what ALSA would print on stderr to the log, label `syrinx.alsa`, level debug.
enum ALSALog {
  /// Does nothing from the second time on: ALSA has one error handler per process.
  static func install() { _ = isInstalled }

  private static let isInstalled =
    syrinx_alsa_send_errors_to { function, code, message in
      ALSALog.report(text(message), from: text(function), code: code, to: logger)
    } == 0

  private static let logger = Logger(label: "syrinx.alsa")

  /// Sends a remark of our own.
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
