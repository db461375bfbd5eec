import AudioThreads
import Glibc

/// The lines of standard input, each read when it is asked for, on a thread of their own.
///
/// So they are read no faster than they are used.
struct StandardInputLines: AsyncSequence, Sendable {
  typealias Element = Result<String, LineReader.TooLong>

  /// Asks for each line.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let wish: WakeUp
    fileprivate var lines: AsyncStream<Element>.Iterator

    mutating func next() async -> Element? {
      wish.signal()
      return await lines.next()
    }
  }

  private let wish: WakeUp
  private let lines: AsyncStream<Element>

  /// Starts the thread.
  ///
  /// It ends with the input or with the process: nothing else ends a read of a terminal.
  init(of descriptor: Int32 = 0) throws {
    let (lines, line) = AsyncStream.makeStream(of: Element.self)
    let wish = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-control") {
      var reader = LineReader { bytes(of: descriptor) }
      wish.wait()
      while let next = reader.next() {
        line.yield(next)
        wish.wait()
      }
      line.finish()
    }
    (self.wish, self.lines) = (wish, lines)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(wish: wish, lines: lines.makeAsyncIterator())
  }
}

/// Cuts bytes into lines, and keeps no more of them than a line may have.
struct LineReader {
  /// A line that is longer than any command.
  struct TooLong: Error, Equatable, CustomStringConvertible {
    let description = """
      a command was left out: its line is longer than \(longest) bytes; end each command with a newline
      """
  }

  /// In bytes.
  static let longest = 4_096
  private static let newline = UInt8(ascii: "\n")

  private let read: () -> [UInt8]
  private var bytes: [UInt8] = []

  /// - Parameter read: gives the next bytes, none at the end.
  init(_ read: @escaping () -> [UInt8]) {
    self.read = read
  }

  /// The next line; nil at the end.
  mutating func next() -> Result<String, TooLong>? {
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

  private func line(_ text: ArraySlice<UInt8>, _ isTooLong: Bool) -> Result<String, TooLong> {
    isTooLong || text.count > Self.longest
      ? .failure(TooLong()) : .success(String(decoding: text, as: UTF8.self))
  }
}

/// What there is to read, at most as much as a line may have; nothing at the end.
private func bytes(of descriptor: Int32) -> [UInt8] {
  [UInt8](unsafeUninitializedCapacity: LineReader.longest) { buffer, count in
    var size = read(descriptor, buffer.baseAddress, buffer.count)
    // Others may have set it not to block; a signal is no end.
    while size < 0, errno == EINTR || errno == EAGAIN {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      poll(&input, 1, -1)
      size = read(descriptor, buffer.baseAddress, buffer.count)
    }
    count = max(0, size)
  }
}
