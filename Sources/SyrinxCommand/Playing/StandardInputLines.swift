import AudioThreads

/// The lines of standard input, read on a thread of their own and only on demand.
actor StandardInputLines {
  /// In bytes; no command is longer.
  static let longest = 4_096

  private let executor: ThreadExecutor
  private var reader: RecordReader

  init(of descriptor: Int32 = 0) throws {
    executor = try ThreadExecutor(name: "syrinx-control")
    reader = .ofCommands {
      // An input that cannot be read ends.
      (try? availableBytes(of: descriptor, named: "standard input", atMost: Self.longest)) ?? []
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The next line that is not empty; nil at the end.
  ///
  /// It waits for the line even if the task is canceled: nothing else ends a read from a terminal.
  ///
  /// - Throws: `CommandFailure` for a line that is too long, which is skipped.
  func next() throws -> String? {
    try reader.next().map { String(decoding: $0, as: UTF8.self) }
  }
}

extension RecordReader {
  /// The reader of lines with commands.
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
