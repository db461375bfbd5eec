import AudioThreads
import FilePaths
import Glibc

/// Reads a text file as a whole; the path `-` is standard input.
extension FilePath {
  /// Whether the file is a pipe, such as a shell's `<(command)`, which can be read only once.
  var isPipe: Bool { status.map { $0.st_mode & S_IFMT } == S_IFIFO }

  /// Reads the text on its own thread, because a pipe may block.
  ///
  /// - Parameter limit: the maximum number of bytes.
  /// - Throws: `CommandFailure`, `SystemError`, `CancellationError`.
  func readText(atMost limit: Int = .max) async throws -> String {
    try await DedicatedThread.run(name: "syrinx-text") { try decodedText(atMost: limit) }
  }

  private func decodedText(atMost limit: Int) throws -> String {
    let bytes = try textBytes(atMost: limit)
    guard bytes.count <= limit else {
      throw CommandFailure("\(shownName) has more than \(limit) bytes")
    }
    // A NUL is refused, because UTF-16 text can be valid UTF-8 with NUL characters.
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      throw CommandFailure("\(shownName) is not UTF-8 text")
    }
    return text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text
  }

  private func textBytes(atMost limit: Int) throws(CommandFailure) -> [UInt8] {
    do throws(FilePathError) {
      return self == "-"
        ? try FilePath.contents(of: STDIN_FILENO, atMost: limit) : try contents(atMost: limit)
    } catch {
      throw CommandFailure("cannot read \(shownName): \(error.readingReason)")
    }
  }
}

extension String {
  /// The lines that are neither blank nor comments, which begin with `#`; their words are separated
  /// by single spaces.
  var entries: [String] {
    split(whereSeparator: \.isNewline)
      .map { $0.split(whereSeparator: \.isWhitespace).joined(separator: " ") }
      .filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }
}

/// Splits an input on demand into records, such as lines; empty records are skipped.
struct RecordReader {
  private let separator: UInt8
  private let longest: Int
  private let tooLong: CommandFailure?
  private let read: () throws -> [UInt8]
  private var bytes: ArraySlice<UInt8> = []
  /// Whether the next bytes belong to a long record that is being skipped.
  private var isSkipping = false

  /// - Parameters:
  ///   - separator: the byte that ends a record.
  ///   - longest: the maximum length of a record, in bytes.
  ///   - tooLong: the error for a longer record; nil to skip it.
  ///   - read: returns the next bytes, or none at the end.
  init(
    separator: UInt8 = UInt8(ascii: "\n"), longest: Int, tooLong: CommandFailure? = nil,
    _ read: @escaping () throws -> [UInt8]
  ) {
    (self.separator, self.longest, self.tooLong) = (separator, longest, tooLong)
    self.read = read
  }

  /// Returns the next record, without its separator; nil at the end.
  ///
  /// - Throws: `tooLong` if a record exceeds `longest`, and the errors of `read`. After `tooLong`,
  ///   the next call skips the record's remaining bytes.
  mutating func next() throws -> [UInt8]? {
    while true {
      let end = bytes.firstIndex(of: separator)
      if end == nil, bytes.count <= longest {
        let more = try read()
        bytes += more
        guard more.isEmpty else { continue }
        if bytes.isEmpty { return nil }
      }
      let record = bytes[..<(end ?? bytes.endIndex)]
      let (isRest, isTooLong) = (isSkipping, record.count > longest)
      isSkipping = isTooLong && end == nil
      bytes = end.map { bytes[($0 + 1)...] } ?? []
      if isRest || record.isEmpty { continue }
      if !isTooLong { return Array(record) }
      if let tooLong { throw tooLong }
    }
  }
}

/// Returns the available bytes of an input, at most `limit`; none at the end.
///
/// Once `stopSignal` is signaled, reading throws `CancellationError`.
func availableBytes(
  of descriptor: Int32, named name: String, atMost limit: Int = 65_536, stopSignal: WakeUp? = nil
) throws -> [UInt8] {
  var part = [UInt8](repeating: 0, count: limit)
  while true {
    // `poll` also works if the descriptor is non-blocking, and it ignores a negative descriptor.
    var sources = [descriptor, stopSignal?.fileDescriptor ?? -1].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while poll(&sources, 2, -1) < 0 && errno == EINTR {}
    if sources[1].revents != 0 { throw CancellationError() }
    let count = read(descriptor, &part, part.count)
    if count >= 0 { return Array(part[..<count]) }
    guard errno == EINTR || errno == EAGAIN else { throw CommandFailure.unreadable(name, errno) }
  }
}

extension CommandFailure {
  /// Returns the error for an input that cannot be read.
  static func unreadable(_ name: String, _ code: Int32) -> CommandFailure {
    CommandFailure("cannot read \(name): \(FilePathError(code: code).readingReason)")
  }
}
