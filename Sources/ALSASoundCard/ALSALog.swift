import CALSA
import Logging

/// Sends what ALSA would print on stderr to the log, label `syrinx.alsa`, level debug.
enum ALSALog {
  /// Does nothing from the second time on: ALSA has one error handler per process.
  static func install() { _ = isInstalled }

  private static let isInstalled =
    syrinx_alsa_send_errors_to { function, code, message in
      ALSALog.report(function: function, code: code, message: message)
    } == 0

  private static let logger = Logger(label: "syrinx.alsa")

  private static func report(
    function: UnsafePointer<CChar>?, code: Int32, message: UnsafePointer<CChar>?
  ) {
    logger.debug(
      "\(text(message))", metadata: ["function": "\(text(function))", "code": "\(code)"])
  }

  private static func text(_ characters: UnsafePointer<CChar>?) -> String {
    characters.map { String(cString: $0) } ?? ""
  }
}
