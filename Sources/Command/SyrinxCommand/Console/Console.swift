import AudioThreads
import FilePaths
import Glibc

/// Writes data to standard output and messages to standard error, in the order of the calls and on
/// its own thread.
actor Console {
  private let executor: ThreadExecutor
  private let output: OutputDescriptor
  private let error: OutputDescriptor
  private let stopSignal: WakeUp?
  private var status: StatusLine

  /// Whether standard error is a terminal whose last line can be rewritten to show progress.
  nonisolated let isWatched: Bool
  /// Whether standard error is a terminal, and the command is not quiet.
  nonisolated let showsNotices: Bool
  private let isQuiet: Bool

  /// Starts the thread.
  ///
  /// Once `stopSignal` is signaled, a write fails if the reader reads nothing for a second. If
  /// `isQuiet` is true, standard error gets no progress, notices, or summaries.
  init(
    output: OutputDescriptor = .output, error: OutputDescriptor = .error,
    stopSignal: WakeUp? = nil, isQuiet: Bool = false
  ) throws {
    executor = try ThreadExecutor(name: "syrinx-console")
    self.output = output
    self.error = error
    self.stopSignal = stopSignal
    self.isQuiet = isQuiet
    showsNotices = error.isTerminal && !isQuiet
    isWatched = error.isStyled && !isQuiet
    status = StatusLine(isColored: error.isColored)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes a line of data, unbuffered.
  func print(_ line: String) throws(OutputError) {
    show(status.clear())
    try output.write(line + "\n", stopSignal: stopSignal)
  }

  /// Writes a line of human-readable data; on a terminal, it is wrapped at spaces.
  func printWrapped(_ line: String) throws(OutputError) {
    try print(output.isTerminal ? line.wrapped(to: output.columns) : line)
  }

  /// Writes bytes as they are, without adding a line break.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    show(status.clear())
    try output.write(bytes, stopSignal: stopSignal)
  }

  /// Writes a message to standard error.
  func report(_ sentence: String) {
    show(status.clear() + "syrinx: \(sentence.printableLine)\n")
  }

  /// Writes a notice to standard error, even if it is not a terminal.
  func notify(_ sentence: String) {
    if !isQuiet { report(sentence) }
  }

  /// Writes a line of a log to standard error.
  func log(_ line: String) {
    show(status.clear() + line + "\n")
  }

  /// Writes a notice to the terminal; without a terminal it returns at once.
  nonisolated func notifyTerminal(_ line: String) async {
    if showsNotices { await update { status, _ in status.clear() + line.printableLine + "\n" } }
  }

  /// Writes a summary to standard error, even if it is not a terminal; writes nothing with
  /// `--quiet`.
  func summarize(_ line: String) {
    if !isQuiet { show(status.clear() + line.printableLine + "\n") }
  }

  /// Rewrites the terminal's last line; returns at once if no line can be rewritten.
  nonisolated func showStatus(_ text: String) async {
    if isWatched { await update { $0.show(text.printableLine, columns: $1) } }
  }

  /// Rewrites the terminal's last line: keeps the end of a long text, and dims `tail`, which may
  /// still change.
  nonisolated func showVolatile(_ stable: String, tail: String = "") async {
    if isWatched {
      await update { $0.show(stable.printableLine, tail: tail.printableLine, columns: $1) }
    }
  }

  /// Rewrites the terminal's last line with a meter.
  nonisolated func showMeter(_ meter: LevelMeterLine) async {
    if isWatched { await update { $0.show(meter, columns: $1) } }
  }

  /// Erases the last line.
  func clearStatus() {
    show(status.clear())
  }

  /// Keeps the last line; the next text begins below it.
  func keepStatus() {
    show(status.keep())
  }

  private func update(_ text: @Sendable (inout StatusLine, _ columns: Int) -> String) {
    show(text(&status, error.columns))
  }

  private func show(_ text: String) {
    // A failure of standard error cannot be reported anywhere.
    do throws(OutputError) { try error.write(text, stopSignal: stopSignal) } catch {}
  }
}

/// Standard output, standard error, or an output file.
struct OutputDescriptor: Sendable {
  /// Standard output.
  static let output = OutputDescriptor(rawValue: 1, name: "standard output")
  /// Standard error.
  static let error = OutputDescriptor(rawValue: 2, name: "standard error")

  let rawValue: Int32
  let name: String
  /// The terminal's type, from the variable TERM.
  var terminalType = getenv("TERM").map { String(cString: $0) }

  var isTerminal: Bool { isatty(rawValue) == 1 }

  /// Whether the output is a terminal that can rewrite a line and dim text; a terminal without a
  /// type or of type `dumb` cannot.
  var isStyled: Bool { isTerminal && !["", "dumb"].contains(terminalType ?? "") }

  /// Whether the output is a terminal with colors, and the variable NO_COLOR is not set.
  var isColored: Bool {
    guard isStyled else { return false }
    return getenv("NO_COLOR").map { $0[0] == 0 } ?? true
  }

  /// The columns of the terminal, or 80 if it does not report them.
  var columns: Int { size.ws_col > 0 ? Int(size.ws_col) : 80 }

  /// The width in pixels of a picture that fills the terminal, at most 2,000.
  var pictureWidth: Int { min(2_000, size.ws_xpixel > 0 ? Int(size.ws_xpixel) : columns * 10) }

  /// The size of the terminal; zeros if it reports none.
  private var size: winsize {
    var size = winsize()
    return ioctl(rawValue, UInt(TIOCGWINSZ), &size) == 0 ? size : winsize()
  }

  /// Writes all bytes; blocks while the reader is slow.
  ///
  /// Once `stopSignal` is signaled, a write fails if the reader reads nothing for a second.
  func write(_ bytes: [UInt8], stopSignal: WakeUp? = nil) throws(OutputError) {
    let code = bytes.withUnsafeBytes { writeAll($0, to: rawValue, stopSignal: stopSignal) }
    guard code == 0 else { throw OutputError(name: name, code: code) }
  }

  /// Writes all of a text; blocks while the reader is slow.
  func write(_ text: String, stopSignal: WakeUp? = nil) throws(OutputError) {
    try write(Array(text.utf8), stopSignal: stopSignal)
  }

  /// Opens `/dev/null` for each of the descriptors 0, 1, and 2 that is closed.
  ///
  /// Otherwise, the first file that the command opens would become, for example, standard output.
  /// Standard input is opened only for writing and the other two only for reading, so that using
  /// them still fails, as with a closed descriptor.
  static func reserveAll() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free number, which is this descriptor.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// The reason that an output could not be written.
struct OutputError: Error, Equatable, CustomStringConvertible {
  let name: String
  let code: Int32

  /// Whether the reader of the output is gone, which usually ends a command in a pipeline.
  var isBrokenPipe: Bool { code == EPIPE }

  var description: String {
    if code == ETIMEDOUT { return "cannot write \(name): its reader takes nothing" }
    return "cannot write \(name): \(String(cString: strerror(code))) (errno \(code))"
  }
}
