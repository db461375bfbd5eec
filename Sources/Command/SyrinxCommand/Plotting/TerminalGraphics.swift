#if Plots
import AudioThreads
import Glibc

/// How a terminal shows pictures.
enum TerminalGraphics: Equatable {
  case kitty
  case sixel
  case braille

  /// The question for kitty graphics, and the one for the device's attributes, which every terminal
  /// answers: its answer ends the wait.
  private static let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"

  /// What a terminal that gave this answer can do.
  init(answer: String) {
    if answer.contains("_Gi=31;OK") {
      self = .kitty
    } else if Self.attributes(answer)?.contains("4") == true {
      self = .sixel
    } else {
      self = .braille
    }
  }

  /// The numbers between `ESC [ ?` and `c`; nil for an answer without them.
  private static func attributes(_ answer: String) -> [Substring]? {
    guard let start = answer.firstRange(of: "\u{1B}[?"),
      let end = answer[start.upperBound...].firstIndex(of: "c")
    else { return nil }
    return answer[start.upperBound..<end].split(separator: ";")
  }

  /// Queries the controlling terminal on a separate thread.
  ///
  /// A terminal that does not answer within half a second gets Braille.
  ///
  /// - Parameter signals: they restore the terminal if a second signal ends the process.
  static func ofTerminal(signals: StopSignals) async -> TerminalGraphics {
    guard OutputDescriptor.output.isStyled else { return .braille }
    // A canceled caller waits too, because the thread restores the terminal.
    let text = try? await DedicatedThread.runToEnd(name: "syrinx-terminal") { answer(signals) }
    return TerminalGraphics(answer: text ?? "")
  }

  private static func answer(_ signals: StopSignals) -> String {
    let terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard terminal >= 0 else { return "" }
    defer { close(terminal) }
    guard let mode = KeyTerminal(descriptor: terminal, readLimitInTenths: 5) else { return "" }
    defer { mode.restore() }
    signals.beforeExit { mode.restore() }
    let written = Array(question.utf8).withUnsafeBytes { writeAll($0, to: terminal) }
    guard written == 0 else { return "" }
    var bytes: [UInt8] = []
    var byte: UInt8 = 0
    while bytes.count < 1_024, read(terminal, &byte, 1) == 1 {
      bytes.append(byte)
      // No answer about kitty graphics has a `c` after `ESC [ ?`.
      if attributes(String(decoding: bytes, as: UTF8.self)) != nil { break }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
