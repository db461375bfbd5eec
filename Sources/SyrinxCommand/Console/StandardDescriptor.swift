import AudioThreads
import Glibc

/// Standard output or standard error, as far as the command writes to them.
struct StandardDescriptor: Sendable {
  /// Standard output.
  static let output = StandardDescriptor(rawValue: 1, name: "standard output")
  /// Standard error.
  static let error = StandardDescriptor(rawValue: 2, name: "standard error")

  let rawValue: Int32
  let name: String

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Whether it is a terminal that knows how to dim, and to clear a line.
  var isStyled: Bool {
    guard isTerminal, let name = getenv("TERM") else { return false }
    return !["", "dumb"].contains(String(cString: name))
  }

  /// The columns of the terminal, 80 where it does not say.
  var columns: Int {
    var size = winsize()
    guard ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return Int(size.ws_col)
  }

  /// Writes all of a text, whatever it takes; it blocks while the reader is slow.
  ///
  /// - Parameter hurry: once it is signalled, a reader that takes nothing for a second is waited
  ///   for no longer.
  func write(_ text: String, hurry: WakeUp? = nil) throws(OutputError) {
    var text = text
    let code = text.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: rawValue, hurry: hurry) }
    guard code == 0 else { throw OutputError(name: name, code: code) }
  }

  /// Gives 0, 1 and 2 to descriptors that fail, where the command was started without them.
  ///
  /// Otherwise the first file that is opened would become standard output.
  static func reserveAll() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is what `open` gives: this one.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Standard output could not be written.
struct OutputError: Error, Equatable, CustomStringConvertible {
  let name: String
  let code: Int32

  /// Whether the reader has gone, which is for a filter the usual way to end.
  var isBrokenPipe: Bool { code == EPIPE }

  var description: String {
    if code == ETIMEDOUT { return "cannot write \(name): its reader takes nothing" }
    return "cannot write \(name): \(String(cString: strerror(code))) (errno \(code))"
  }
}
