import AudioThreads
import Glibc

/// The lines of standard input, read on a thread of its own and only on demand.
struct StandardInputLines: AsyncSequence, Sendable {
  typealias Element = Result<String, CommandFailure>

  /// Requests each line.
  struct Iterator: AsyncIteratorProtocol {
    fileprivate let demand: WakeUp
    fileprivate var lines: AsyncStream<Element>.Iterator

    mutating func next() async -> Element? {
      demand.signal()
      return await lines.next()
    }
  }

  private let demand: WakeUp
  private let lines: AsyncStream<Element>

  /// Starts the thread.
  ///
  /// It ends with the input or the process: nothing else ends a read from a terminal.
  init(of descriptor: Int32 = 0) throws {
    let (lines, line) = AsyncStream.makeStream(of: Element.self)
    let demand = try WakeUp()
    _ = try DedicatedThread.start(name: "syrinx-control") {
      var reader = LineReader { bytes(of: descriptor) }
      demand.wait()
      while let next = reader.next() {
        line.yield(next)
        demand.wait()
      }
      line.finish()
    }
    (self.demand, self.lines) = (demand, lines)
  }

  func makeAsyncIterator() -> Iterator {
    Iterator(demand: demand, lines: lines.makeAsyncIterator())
  }
}

/// Splits bytes into lines and buffers at most the longest line.
struct LineReader {
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
  mutating func next() -> Result<String, CommandFailure>? {
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

  private func line(
    _ text: ArraySlice<UInt8>, _ isTooLong: Bool
  ) -> Result<String, CommandFailure> {
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
