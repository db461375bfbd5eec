import Foundation

/// A pseudo-terminal with both of its ends.
package final class PseudoTerminal: Sendable {
  /// The end that a program writes to.
  package let user: Int32
  /// The end with the screen and keyboard, which a test reads and types into.
  package let screen: Int32

  package init() throws {
    screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    // The numbers are the macros TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    guard ioctl(screen, 0x4004_5431, &lock) == 0, ioctl(screen, 0x8004_5430, &number) == 0 else {
      throw Tool.Failure(description: "this system has no pseudo-terminals")
    }
    user = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit {
    close(screen)
  }

  /// Closes the program's end and returns the successive texts of the rewritten line, without the
  /// escape codes that clear the rest of the line.
  package func rewritten() -> [String] {
    shown().replacingOccurrences(of: "\u{1B}[K", with: "")
      .split(separator: "\r", omittingEmptySubsequences: false).dropFirst()
      .map { String($0.reversed().drop { $0 == " " }.reversed()) }
  }

  /// Closes the program's end and returns everything written, at most the 4 KB in its buffer.
  package func shown() -> String {
    close(user)
    var shown: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // Buffered bytes can still be read; after them, `read` fails with EIO.
    while case let count = read(screen, &bytes, bytes.count), count > 0 {
      shown += bytes.prefix(count)
    }
    return String(decoding: shown, as: UTF8.self)
  }
}
