import AudioCore
import ClientDependencies
import Foundation
import SpeechClient
import Testing

@testable import SyrinxCommand

struct FileHearingTests {
  let folder: TestFolder

  init() throws {
    folder = try TestFolder()
  }

  /// Hears a file whose every buffer takes half a second, and gives what a terminal then shows.
  private func shown(
    _ name: String, showsProgress: Bool = true, hasBegun: Bool = true
  ) async throws -> String {
    let terminal = try PseudoTerminal()
    let console = try Console(
      error: StandardDescriptor(rawValue: terminal.user, name: "standard error"))
    let clock = TestClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      let hearing = await FileHearing(
        folder.file(name).path, showsProgress: showsProgress,
        in: CommandContext(console: console, signals: StopSignals()))
      let request = hearing.request(wantsPartials: false)
      if hasBegun { await hearing.beginProgress() }
      guard case .buffers(let buffers) = request.source else { return }
      for try await _ in buffers { await clock.advance(by: .milliseconds(500)) }
      try await hearing.finish()
    }
    return terminal.shown()
  }

  @Test
  func `a long file tells how far it is, how fast, and how long it will take`() async throws {
    try folder.tone("long.wav", .seconds(4))
    let lines = try await shown("long.wav").split(separator: "\r")
    #expect(
      lines.first == "long.wav 0:00.7 / 0:04.0 (19 %), 0.8 times real time, 0:04.2 left")
    #expect(lines.contains { $0.hasPrefix("long.wav 0:04.0 / 0:04.0 (100 %)") })
    // Nothing of it stays.
    #expect(lines.last?.allSatisfy { $0 == " " } == true)
  }

  @Test
  func `a short file, and one that is watched as it is understood, tell nothing`() async throws {
    try folder.tone("short.wav", .milliseconds(400))
    #expect(try await !shown("short.wav").contains("real time"))
    try folder.tone("long.wav", .seconds(4))
    #expect(try await shown("long.wav", showsProgress: false).isEmpty)
  }

  @Test func `a file whose turn has not come tells nothing`() async throws {
    try folder.tone("long.wav", .seconds(4))
    #expect(try await shown("long.wav", hasBegun: false).isEmpty)
  }
}

/// Both ends of a terminal.
private final class PseudoTerminal {
  /// The end that programs write to.
  let user: Int32
  private let screen: Int32

  init() throws {
    screen = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var (lock, number): (Int32, Int32) = (0, 0)
    // The macros TIOCSPTLCK and TIOCGPTN, which Swift does not import.
    guard ioctl(screen, 0x4004_5431, &lock) == 0, ioctl(screen, 0x8004_5430, &number) == 0 else {
      throw ToolMissing(description: "this system has no pseudo-terminals")
    }
    user = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
  }

  deinit {
    close(screen)
  }

  /// Closes the user's end and gives everything that was written, at most the 4 KB of its buffer.
  func shown() -> String {
    close(user)
    var shown: [UInt8] = []
    var bytes = [UInt8](repeating: 0, count: 4_096)
    // What is on its way still comes; EIO is the end.
    while case let count = read(screen, &bytes, bytes.count), count > 0 {
      shown += bytes.prefix(count)
    }
    return String(decoding: shown, as: UTF8.self)
  }
}
