import AudioThreads
import Glibc

/// The screen and the keyboard of the terminal.
public struct TerminalScreen: Sendable {
  /// The pressed keys; ends with Ctrl-C, SIGINT, SIGTERM, or SIGHUP, or when the terminal is gone.
  public let keys: AsyncStream<Key>

  /// Takes over the terminal while `body` runs, and always restores it afterward.
  ///
  /// A second signal restores the terminal and ends the process with status 1.
  ///
  /// - Throws: `TerminalError` if there is no terminal, and the errors of `body`.
  @MainActor
  public static func run(_ body: (TerminalScreen) async throws -> Void) async throws {
    var settings = termios()
    guard isatty(STDOUT_FILENO) == 1, tcgetattr(STDIN_FILENO, &settings) == 0 else {
      throw TerminalError()
    }
    let (saved, stop) = (settings, try WakeUp())
    cfmakeraw(&settings)
    try receiveSignals(restoring: saved, stop)
    let (keys, sender) = AsyncStream<Key>.makeStream()
    let reader = try DedicatedThread.start(name: "keys") {
      readKeys(until: stop) { sender.yield($0) }
      sender.finish()
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    write("\u{1B}[?1049h\u{1B}[?25l")
    let outcome: Result<Void, any Error>
    do { outcome = .success(try await body(TerminalScreen(keys: keys))) } catch {
      outcome = .failure(error)
    }
    restore(saved)
    stop.signal()
    await reader.join()
    try outcome.get()
  }

  /// Shows lines from the top, each truncated to the width of the terminal.
  ///
  /// Control characters are skipped, so that no text can control the terminal.
  ///
  /// If the terminal accepts no output, the calling thread blocks, which is the main thread.
  @MainActor
  public func draw(_ lines: [String]) {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let (width, height) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    Self.write(Self.text(of: lines.prefix(height), width: width))
  }

  /// Returns the terminal output that shows the lines from the top of the screen.
  static func text(of lines: some Sequence<String>, width: Int) -> String {
    let rows = lines.map { "\($0.filter(\.isPrintable).prefix(width))\u{1B}[K" }
    return "\u{1B}[H" + rows.joined(separator: "\r\n") + "\u{1B}[J"
  }

  private static func readKeys(until stop: WakeUp, _ send: (Key) -> Void) {
    var decoder = KeyDecoder()
    var bytes = [UInt8](repeating: 0, count: 256)
    var ready = [STDIN_FILENO, stop.fileDescriptor].map { pollfd(fd: $0, events: 1, revents: 0) }
    while true {
      guard poll(&ready, 2, -1) > 0 else {
        if errno == EINTR { continue } else { return }
      }
      guard ready[1].revents == 0 else { return }
      guard case let count = read(STDIN_FILENO, &bytes, bytes.count), count > 0 else { return }
      for key in decoder.keys(in: bytes.prefix(count)) {
        guard key != .interrupt else { return }
        send(key)
      }
    }
  }

  private static func receiveSignals(restoring saved: termios, _ stop: WakeUp) throws {
    let received = try WakeUp()
    receivedDescriptor = received.fileDescriptor
    var action = sigaction()
    // `sigwait` would miss these signals, because the main thread waits in Dispatch, which unblocks
    // all signals.
    action.__sigaction_handler.sa_handler = { _ in
      let code = errno
      var count: UInt64 = 1
      _ = Glibc.write(receivedDescriptor, &count, MemoryLayout<UInt64>.size)
      errno = code
    }
    action.sa_flags = SA_RESTART
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaction(signal, &action, nil) }
    _ = try DedicatedThread.start(name: "signals") {
      received.wait()
      stop.signal()
      received.wait()
      restore(saved)
      _exit(EXIT_FAILURE)
    }
  }

  private static func restore(_ saved: termios) {
    var saved = saved
    write("\u{1B}[?25h\u{1B}[?1049l")
    tcsetattr(STDIN_FILENO, TCSADRAIN, &saved)
  }

  private static func write(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      guard count > 0 || errno == EINTR else { return }
      bytes = bytes.dropFirst(max(0, count))
    }
  }
}

/// The eventfd that the signal handler writes to, because a handler has no context.
///
/// `unsafe`, because this is a global variable; safe, because the handler is installed only after
/// the variable is set.
private nonisolated(unsafe) var receivedDescriptor: Int32 = -1

/// The error of a program that was started without a terminal.
public struct TerminalError: Error, CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    "this program needs a terminal: run it without pipes or redirections"
  }
}
