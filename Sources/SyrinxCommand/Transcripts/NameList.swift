import AudioThreads
import FilePaths
import Glibc

/// A list of names, each ended by a line feed, or by a NUL.
struct NameList: Sendable {
  /// The list's file; - is standard input.
  let file: FilePath
  /// The byte that ends a name.
  let separator: UInt8

  func open(stopSignal: WakeUp?) throws(CommandFailure) -> RecordReader {
    let isFile = file != "-"
    // A pipe without a writer is waited for like one without data: until the stop signal.
    let flags = O_RDONLY | O_CLOEXEC | (stopSignal == nil ? 0 : O_NONBLOCK)
    let descriptor = isFile ? file.withCString { Glibc.open($0, flags) } : STDIN_FILENO
    guard descriptor >= 0 else { throw .unreadable("\(file)", errno) }
    return RecordReader(
      "\(file.shownName)", descriptor, separator, closesDescriptor: isFile, stopSignal: stopSignal)
  }
}

/// Reads records, such as lines, as they are needed.
final class RecordReader {
  /// In bytes; a longer record shows that something else is read.
  private static let longest = 1 << 20

  private let name: String
  private let descriptor: Int32
  private let separator: UInt8
  private let skipsLongRecords: Bool
  private let closesDescriptor: Bool
  private let stopSignal: WakeUp?
  private var bytes: ArraySlice<UInt8> = []
  /// Whether the rest of a long record comes next.
  private var isSkipping = false

  /// - Parameters:
  ///   - skipsLongRecords: whether a record of over 1 MiB is skipped; otherwise it is an error.
  ///   - stopSignal: once it is signaled, reading throws `CancellationError`.
  init(
    _ name: String, _ descriptor: Int32, _ separator: UInt8, skipsLongRecords: Bool = false,
    closesDescriptor: Bool = false, stopSignal: WakeUp? = nil
  ) {
    (self.name, self.descriptor, self.separator) = (name, descriptor, separator)
    (self.closesDescriptor, self.stopSignal) = (closesDescriptor, stopSignal)
    self.skipsLongRecords = skipsLongRecords
  }

  deinit {
    if closesDescriptor { close(descriptor) }
  }

  /// The next record that is not empty, without its separator; nil at the end.
  func next() throws -> [UInt8]? {
    while true {
      let end = bytes.firstIndex(of: separator)
      let more = end == nil ? try read() : []
      if end == nil, !more.isEmpty {
        bytes += more
        guard bytes.count > Self.longest else { continue }
        guard skipsLongRecords else {
          throw CommandFailure("\(name) is not a list of files: a name in it is longer than 1 MiB")
        }
        (bytes, isSkipping) = ([], true)
        continue
      }
      guard end != nil || !bytes.isEmpty else { return nil }
      let record = Array(bytes[..<(end ?? bytes.endIndex)])
      bytes = end.map { bytes[($0 + 1)...] } ?? []
      let isRest = isSkipping
      isSkipping = false
      if !isRest, !record.isEmpty { return record }
    }
  }

  /// What is available; nothing at the end.
  private func read() throws -> [UInt8] {
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
      try waitForInput()
      let count = Glibc.read(descriptor, &part, part.count)
      if count >= 0 { return Array(part[..<count]) }
      guard errno == EINTR || errno == EAGAIN else { throw CommandFailure.unreadable(name, errno) }
    }
  }

  private func waitForInput() throws(CancellationError) {
    guard let stopSignal else { return }
    var sources = [descriptor, stopSignal.fileDescriptor].map {
      pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
    }
    while poll(&sources, 2, -1) < 0 && errno == EINTR {}
    if sources[1].revents != 0 { throw CancellationError() }
  }
}

extension CommandFailure {
  fileprivate static func unreadable(_ name: String, _ code: Int32) -> CommandFailure {
    CommandFailure("cannot read \(name): \(FilePathError(code: code).readingReason)")
  }
}
