import AudioPlayerClient
import AudioThreads

extension AudioPlayerClient {
  /// Controls a playback of `fileCount` files by lines of standard input, until the input or the
  /// task ends.
  ///
  /// A canceled task ends only after the next line. At the end of the input, a paused playback
  /// resumes, because nothing else can resume it.
  func control(
    _ id: PlaybackID, by lines: StandardInputLines, fileCount: Int, console: Console
  ) async {
    var isPaused = false
    while !Task.isCancelled {
      do {
        guard let line = try await lines.next(), !Task.isCancelled else { break }
        guard let command = try ControlLine(line)?.command(fileCount: fileCount) else { continue }
        try await control(id: id, command: command)
        switch command {
        case .pause: isPaused = true
        case .resume, .stop: isPaused = false
        default: break
        }
      } catch is CancellationError {
        return
      } catch {
        await console.report("\(error)")
      }
    }
    // If the task is canceled, the playback has ended and accepts no command.
    if isPaused, !Task.isCancelled { try? await control(id: id, command: .resume()) }
  }
}

/// A line of standard input with a playback command.
struct ControlLine: Equatable {
  /// All commands, for the help and for errors.
  static let commands = """
    pause [TIME], resume [TIME], seek TIME [FILE], volume VOLUME [TIME] (0 to 10), skip, stop [TIME]
    """

  /// The maximum duration of a fade.
  private static let longest = Duration.seconds(3_600)

  private let words: [Substring]

  /// Splits a line into words; nil for an empty line.
  init?(_ line: String) {
    words = line.split(whereSeparator: \.isWhitespace)
    if words.isEmpty { return nil }
  }

  /// Returns the command for a playback of `fileCount` files; throws `CommandFailure`.
  func command(fileCount: Int) throws -> PlaybackCommand {
    switch words[0] {
    case "pause": .pause(fade: try fade(after: 1) ?? .milliseconds(10))
    case "resume": .resume(fade: try fade(after: 1) ?? .milliseconds(10))
    case "stop": .stop(fade: try fade(after: 1) ?? .milliseconds(10))
    case "volume":
      .setVolume(
        Float(try volume(1)), ramp: try fade(after: 2) ?? .milliseconds(20))
    case "seek": .seek(to: .time(try time(1)), item: try item(fileCount))
    case "skip" where words.count == 1: .skip
    default: throw unknown
    }
  }

  private var unknown: CommandFailure {
    CommandFailure(
      "\"\(words.joined(separator: " "))\" is not a command; the commands are \(Self.commands)")
  }

  private func volume(_ index: Int) throws -> Double {
    guard index < words.count, let factor = try? Double.volume(String(words[index])),
      (0...10).contains(factor)
    else { throw unknown }
    return factor
  }

  private func time(_ index: Int) throws -> Duration {
    guard index < words.count, let seconds = try? TimeValue.seconds(String(words[index])) else {
      throw unknown
    }
    return .seconds(seconds)
  }

  /// Parses the duration of a fade, the only word after the first `count` words; nil if there is no
  /// such word.
  private func fade(after count: Int) throws -> Duration? {
    guard words.count > count else { return nil }
    guard words.count == count + 1 else { throw unknown }
    let fade = try time(count)
    guard fade <= Self.longest else { throw unknown }
    return fade
  }

  /// Returns the item to seek in; nil for the current item.
  private func item(_ fileCount: Int) throws -> Int? {
    guard words.count > 2 else { return nil }
    guard words.count == 3, let file = Int(words[2]) else { throw unknown }
    guard (1...fileCount).contains(file) else {
      let files = fileCount == 1 ? "the only file is 1" : "the files are 1 to \(fileCount)"
      throw CommandFailure("file \(file) does not exist; \(files)")
    }
    return file - 1
  }
}

/// The lines of standard input, read on demand on their own thread.
actor StandardInputLines {
  /// The maximum length in bytes; no command is longer.
  static let longest = 4_096

  private let executor: ThreadExecutor
  private var reader: RecordReader

  init(of descriptor: Int32 = 0) throws {
    executor = try ThreadExecutor(name: "syrinx-control")
    reader = .ofCommands {
      // A read failure counts as the end of the input.
      (try? availableBytes(of: descriptor, named: "standard input", atMost: Self.longest)) ?? []
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Returns the next line that is not empty; nil at the end.
  ///
  /// It waits for the line even if the task is canceled, because cancellation cannot interrupt the
  /// read.
  ///
  /// - Throws: `CommandFailure` for a line that is too long; the next call skips the line.
  func next() throws -> String? {
    try reader.next().map { String(decoding: $0, as: UTF8.self) }
  }
}

extension RecordReader {
  /// Creates a reader of command lines.
  static func ofCommands(_ read: @escaping () throws -> [UInt8]) -> RecordReader {
    let longest = StandardInputLines.longest
    let tooLong = CommandFailure(
      """
      a command was skipped: its line is longer than \(longest) bytes; end each command with a \
      newline
      """)
    return RecordReader(longest: longest, tooLong: tooLong, read)
  }
}
