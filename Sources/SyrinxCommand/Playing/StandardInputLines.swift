import AudioThreads
import Glibc

/// The lines of standard input, read on a thread of their own and only on demand.
actor StandardInputLines {
  private let executor: ThreadExecutor
  private var reader: LineReader

  init(of descriptor: Int32 = 0) throws {
    executor = try ThreadExecutor(name: "syrinx-control")
    reader = LineReader { bytes(of: descriptor) }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// The next line; nil at the end.
  ///
  /// It waits for the line even if the task is cancelled: nothing else ends a read from a terminal.
  func next() -> LineReader.Line? {
    reader.next()
  }
}

/// Splits bytes into lines and buffers at most the longest line.
struct LineReader {
  typealias Line = Result<String, CommandFailure>

  /// A line is longer than any command.
  static let tooLong = CommandFailure(
    "a command was skipped: its line is longer than \(longest) bytes; end each command with a newline"
  )

  /// In bytes.
  static let longest = 4_096
  private static let newline = UInt8(ascii: "\n")

  private let read: () -> [UInt8]
  private var bytes: [UInt8] = []

  /// - Parameter read: returns the next bytes, or none at the end.
  init(_ read: @escaping () -> [UInt8]) {
    self.read = read
  }

  /// The next line; nil at the end.
  mutating func next() -> Line? {
    var isTooLong = false
    while true {
      if let end = bytes.firstIndex(of: Self.newline) {
        defer { bytes.removeSubrange(...end) }
        return line(bytes[..<end], isTooLong)
      }
      isTooLong = isTooLong || bytes.count > Self.longest
      if isTooLong { bytes = [] }
      let more = read()
      if more.isEmpty {
        defer { bytes = [] }
        return isTooLong || !bytes.isEmpty ? line(bytes[...], isTooLong) : nil
      }
      bytes += more
    }
  }

  private func line(_ text: ArraySlice<UInt8>, _ isTooLong: Bool) -> Line {
    isTooLong || text.count > Self.longest
      ? .failure(Self.tooLong) : .success(String(decoding: text, as: UTF8.self))
  }
}

/// Reads what is available, at most the longest line; returns nothing at the end.
private func bytes(of descriptor: Int32) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: LineReader.longest) { buffer, count in
    var size = read(descriptor, buffer.baseAddress, buffer.count)
    // Another process may have made it non-blocking; a signal is not the end.
    while size < 0, errno == EINTR || errno == EAGAIN {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&input, 1, -1)
      size = read(descriptor, buffer.baseAddress, buffer.count)
    }
    count = max(0, size)
  }
}
