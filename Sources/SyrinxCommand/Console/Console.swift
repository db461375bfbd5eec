import AudioThreads
import FilePaths
import Glibc

/// Standard output for data, standard error for people; both are written on a thread of their own,
/// in the order of the calls.
actor Console {
  private let executor: ThreadExecutor
  private let output: StandardDescriptor
  private let error: StandardDescriptor
  private let hurry: WakeUp?
  private var status: StatusLine

  /// Whether people watch standard error.
  nonisolated let isWatched: Bool

  /// Starts the thread.
  ///
  /// - Parameter hurry: once it is signalled, readers that take nothing for a second are waited for
  ///   no longer.
  init(
    output: StandardDescriptor = .output, error: StandardDescriptor = .error, hurry: WakeUp? = nil
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-console")
    self.output = output
    self.error = error
    self.hurry = hurry
    isWatched = error.isTerminal
    status = StatusLine(isStyled: error.isStyled)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes a line of data; at once, also into a pipe.
  func print(_ line: String) throws(OutputError) {
    show(status.clear())
    try output.write(line + "\n", hurry: hurry)
  }

  /// Writes a sentence for people.
  func report(_ sentence: String) {
    show(status.clear() + "syrinx: \(sentence.printable)\n")
  }

  /// Writes a line for people who watch; nobody else gets it, and nothing is waited for then.
  nonisolated func mention(_ line: String) async {
    if isWatched { await show(line: line) }
  }

  /// Rewrites the last line for people who watch; nobody else gets it, and nothing is waited for
  /// then.
  nonisolated func showStatus(_ text: String) async {
    if isWatched { await show(status: text) }
  }

  /// The same for a text whose end matters most, and of which the tail, dim, may still change.
  nonisolated func showVolatile(_ stable: String, tail: String = "") async {
    if isWatched { await show(stable, tail: tail) }
  }

  /// Leaves nothing of the line that was rewritten.
  func clearStatus() {
    show(status.clear())
  }

  /// Leaves the last line as it is.
  func keepStatus() {
    show(status.keep())
  }

  private func show(line: String) {
    show(status.clear() + line.printable + "\n")
  }

  private func show(status text: String) {
    show(status.show(text.printable, columns: error.columns))
  }

  private func show(_ stable: String, tail: String) {
    show(status.show(stable.printable, tail: tail.printable, columns: error.columns))
  }

  private func show(_ text: String) {
    // Where nobody can read it there is nobody to tell that it failed.
    do throws(OutputError) { try error.write(text, hurry: hurry) } catch {}
  }
}

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
