import AudioThreads
import Glibc

/// The whole terminal: keys come in, and lines go out.
public struct TerminalScreen: Sendable {
  /// The pressed keys; ends with Ctrl-C, SIGINT, SIGTERM, or SIGHUP, or when the terminal is gone.
  public let keys: AsyncStream<Key>

  /// Takes over the terminal while `body` runs, and restores it however that ends.
  ///
  /// Call it first in `main`, before the program has a second thread: signals are blocked from
  /// then on, so that only this type's thread receives them. A second signal ends the process.
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

  /// Shows lines from the top, each cut to the width of the terminal.
  ///
  /// Control characters are left out, so that no text can control the terminal.
  ///
  /// A terminal that takes nothing blocks the calling thread, which is the main thread.
  @MainActor
  public func draw(_ lines: [String]) {
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let (width, height) = isKnown ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
    Self.write(Self.text(of: lines.prefix(height), width: width))
  }

  /// What shows lines from the top of a terminal.
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
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    _ = try DedicatedThread.start(name: "signals") { [signals] in
      var (signals, signal) = (signals, Int32(0))
      sigwait(&signals, &signal)
      stop.signal()
      sigwait(&signals, &signal)
      restore(saved)
      _exit(128 + signal)
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

/// The program was started without a terminal.
public struct TerminalError: Error, CustomStringConvertible {
  /// A sentence for users.
  public var description: String {
    "this program needs a terminal: run it without pipes or redirections"
  }
}
