import AudioThreads
import Foundation
import TestTools

/// A sample program on a terminal of 80 columns, with its keys and screens.
@MainActor
final class TerminalProgram {
  private let process = Process()
  private let terminal: PseudoTerminal
  private let screens: AsyncStream<String>
  private(set) var screen = ""
  private let ended = Gate()
  private var isOpen = true

  init(_ program: String, _ arguments: String..., environment: [String: String] = [:]) throws {
    terminal = try PseudoTerminal()
    // The number 0x5414 is TIOCSWINSZ, a macro that Swift does not import.
    var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
    _ = ioctl(terminal.user, 0x5414, &size)
    let shown: AsyncStream<String>.Continuation
    (screens, shown) = AsyncStream.makeStream()
    let end = FileHandle(fileDescriptor: terminal.user)
    (process.standardInput, process.standardOutput, process.standardError) = (end, end, end)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent()
      .appendingPathComponent(program)
    process.arguments = arguments
    process.terminationHandler = { [ended] _ in ended.open() }
    _ = try DedicatedThread.start(name: "screen") { [terminal] in
      Self.read(terminal) { shown.yield($0) }
      shown.finish()
    }
    try process.run()
  }

  isolated deinit {
    if process.isRunning { process.terminate() }
    closeUser()
  }

  /// The settings of the terminal.
  var settings: [UInt32] {
    var settings = termios()
    tcgetattr(terminal.user, &settings)
    return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
  }

  func press(_ keys: String) {
    let bytes = Array(keys.utf8)
    _ = write(terminal.screen, bytes, bytes.count)
  }

  /// Sends a signal to the program.
  func signal(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits until the screen shows a text, and returns its lines.
  @discardableResult
  func shows(_ text: String) async throws -> [Substring] {
    try await shows("\"\(text)\"") { $0.contains(text) }
  }

  /// Waits until the condition holds for the screen, and returns its lines.
  ///
  /// The program may replace a screen before it is read, so use a condition that stays true.
  @discardableResult
  func shows(_ name: String, where isMeant: (String) -> Bool) async throws -> [Substring] {
    if !isMeant(screen) {
      for await next in screens {
        screen = next
        if isMeant(next) { break }
      }
    }
    guard isMeant(screen) else {
      throw Tool.Failure(description: "the program ended without \(name) on \(screen)")
    }
    return screen.split(separator: "\r\n")
  }

  /// Waits for the program's end, and returns its exit status, the terminal settings, and the last
  /// screen.
  func end() async -> (status: Int32, settings: [UInt32], last: String) {
    await ended.wait()
    let settings = settings
    closeUser()
    for await next in screens { screen = next }
    return (process.terminationStatus, settings, screen)
  }

  private func closeUser() {
    if isOpen { close(terminal.user) }
    isOpen = false
  }

  /// Reports each complete screen, and finally the text after the last screen.
  private nonisolated static func read(_ terminal: PseudoTerminal, _ report: (String) -> Void) {
    var unread = ""
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // EIO means the end: the program and the test have closed their sides of the terminal.
    while case let count = Glibc.read(terminal.screen, &bytes, bytes.count), count > 0 {
      unread += String(decoding: bytes.prefix(count), as: UTF8.self)
      while let end = unread.range(of: "\u{1B}[J") {
        let start = unread.range(of: "\u{1B}[H")?.upperBound ?? unread.startIndex
        report(unread[start..<end.lowerBound].replacingOccurrences(of: "\u{1B}[K", with: ""))
        unread = String(unread[end.upperBound...])
      }
    }
    report(unread)
  }
}
