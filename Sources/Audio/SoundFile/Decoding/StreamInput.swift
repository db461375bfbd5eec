import AudioThreads
import FilePaths
import Glibc
import Synchronization

/// A pipe, socket, or terminal as a source of audio of any length.
struct StreamInput {
  let source: Descriptor
  let path: String
  /// Signaled when the audio is no longer needed; it is never reset.
  let interruption: WakeUp
  /// The deadline at which waiting ends like an interrupted read; nil for no deadline.
  var deadline: ContinuousClock.Instant?

  /// Waits for bytes; none at the end, or if the read was interrupted.
  func next(atMost count: Int) throws(SoundFileError) -> [UInt8] {
    while wait() {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
        let result = read(source.number, buffer.baseAddress, count)
        if result < 0 { code = errno }
        size = max(0, result)
      }
      switch code {
      case 0: return bytes
      case EAGAIN, EINTR: continue
      default: throw SystemErrors.reading(path, code: code)
      }
    }
    return []
  }

  /// Waits for bytes to read.
  ///
  /// Returns false if the read was interrupted, or if the reader of `outlet`, the pipe for the
  /// bytes, is gone.
  func wait(outlet: Int32 = -1) -> Bool {
    var descriptors = [
      pollfd(fd: source.number, events: Int16(POLLIN), revents: 0),
      pollfd(fd: interruption.fileDescriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: outlet, events: 0, revents: 0),
    ]
    var count: Int32 = -1
    repeat {
      let left = deadline.map { pollTimeout(ContinuousClock.now.duration(to: $0)) } ?? -1
      count = poll(&descriptors, 3, left)
    } while count < 0 && errno == EINTR
    return count != 0 && descriptors[1].revents == 0 && descriptors[2].revents == 0
  }
}

extension StreamInput {
  /// Returns a pipe with the same bytes, including the first ones.
  ///
  /// A thread copies them, at little cost. This allows looking at the first bytes, and ending a
  /// read that blocks in libsndfile.
  ///
  /// - Parameter pass: receives the arriving bytes and returns the bytes to pass on, and whether
  ///   they are the last.
  func pumped(
    after firstBytes: [UInt8],
    _ pass: @escaping @Sendable ([UInt8]) -> (bytes: [UInt8], isEnd: Bool) = { ($0, false) }
  ) throws(SoundFileError) -> Descriptor {
    let (outlet, inlet) = try Descriptor.pipe(path: path)
    do {
      _ = try DedicatedThread.start(name: "syrinx-pipe") {
        pump(into: inlet, firstBytes: firstBytes, pass)
      }
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
    return outlet
  }

  /// Copies bytes until the stream ends, is interrupted, or has no reader.
  ///
  /// Signals are blocked on this thread, so a missing reader is an error code, not SIGPIPE.
  private func pump(
    into inlet: Descriptor, firstBytes: [UInt8], _ pass: ([UInt8]) -> (bytes: [UInt8], isEnd: Bool)
  ) {
    var bytes = firstBytes
    while true {
      let (passed, isEnd) = pass(bytes)
      let code = passed.withUnsafeBytes { writeAll($0, to: inlet.number) }
      guard code == 0, !isEnd, wait(outlet: inlet.number),
        let more = try? next(atMost: 1 << 16), !more.isEmpty
      else { return }
      bytes = more
    }
  }
}

/// The links of an Ogg stream, each in its own pipe.
final class OggLinkPipes: Sendable {
  private struct State {
    var links = OggLinks()
    /// The received bytes that were not passed on: an incomplete page header, or the beginning of
    /// the next link.
    var pending: [UInt8]
    /// The number of missing bytes of the current page.
    var rest = 0
    var isOgg = true
    var hasNext = true
  }

  private let stream: StreamInput
  // The lock is held while the thread of one pipe divides bytes into pages.
  private let state: Mutex<State>

  init(_ head: StreamHead) {
    stream = head.stream
    state = Mutex(State(pending: head.popInspected()))
  }

  /// Whether the last page is incomplete.
  var isCutOff: Bool { state.withLock { $0.isOgg && ($0.rest > 0 || !$0.pending.isEmpty) } }

  /// Returns the next link; nil after the last one.
  ///
  /// - Parameter previous: the previous link. Its remaining bytes are read, because a decoder may
  ///   stop before the end and the end shows whether another link follows.
  func next(after previous: Descriptor?) throws(SoundFileError) -> Descriptor? {
    previous?.drain()
    let hasNext = state.withLock { state in
      defer { state.hasNext = false }
      return state.hasNext
    }
    guard hasNext else { return nil }
    return try stream.pumped(after: []) { [self] in pass($0) }
  }

  private func pass(_ bytes: [UInt8]) -> (bytes: [UInt8], isEnd: Bool) {
    state.withLock { state in
      state.pending += bytes
      var passed = 0
      while passed < state.pending.count, state.isOgg {
        if state.rest == 0 {
          let head = state.pending[passed...]
          guard let page = OggPage(head) else {
            if !head.isIncompleteHead { state.isOgg = false }
            break
          }
          if state.links.begins(with: page, at: 0) { state.hasNext = true }
          state.rest = page.byteCount
          if state.hasNext { break }
        }
        let count = min(state.rest, state.pending.count - passed)
        state.rest -= count
        passed += count
      }
      if !state.isOgg { passed = state.pending.count }
      defer { state.pending.removeFirst(passed) }
      return (Array(state.pending[..<passed]), state.hasNext)
    }
  }
}

extension Descriptor {
  /// Discards the rest of a pipe.
  func drain() {
    var rest = [UInt8](repeating: 0, count: 1 << 12)
    while true {
      let count = read(number, &rest, rest.count)
      guard count > 0 || (count < 0 && errno == EINTR) else { return }
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether the bytes may be an incomplete page header.
  fileprivate var isIncompleteHead: Bool {
    count < OggPage.longestHead && "OggS".utf8.starts(with: prefix(4))
  }
}

extension StreamInput {
  /// Copies the whole stream to an unnamed file, which the system removes with its descriptor.
  ///
  /// - Parameters:
  ///   - what: the kind of stream, for errors.
  ///   - largestSize: the maximum size in bytes; a longer stream is an error.
  func spooled(
    after firstBytes: [UInt8], what: String, largestSize: Int = 2 << 30
  ) throws(SoundFileError) -> Descriptor {
    let folder = FilePath.temporaryFolder
    let file = try PendingFile(for: folder.appending("stream").text).descriptor
    var bytes = firstBytes
    var size = 0
    while !bytes.isEmpty {
      size += bytes.count
      guard size <= largestSize else {
        throw .cannotRead(
          path: path,
          reason: "a pipe with \(what) is first copied to \(folder), and this one has more than "
            + "\(largestSize >> 20) MiB; save it to a file first")
      }
      try append(bytes, to: file, folder: folder)
      bytes = try next(atMost: 1 << 16)
    }
    lseek(file.number, 0, SEEK_SET)
    return file
  }

  private func append(
    _ bytes: [UInt8], to file: Descriptor, folder: FilePath
  ) throws(SoundFileError) {
    let code = bytes.withUnsafeBytes { writeAll($0, to: file.number) }
    guard code == 0 else { throw SystemErrors.writing(folder.text, code: code) }
  }
}

/// A stream whose first bytes can be inspected before they are consumed.
final class StreamHead {
  let stream: StreamInput
  private var bytes: [UInt8] = []

  /// The maximum number of bytes to inspect in memory: the chunks before the audio.
  private static let capacity = 1 << 24

  init(_ stream: StreamInput) {
    self.stream = stream
  }

  /// Waits for up to this many bytes at an offset; fewer at the end of the stream.
  func bytes(at offset: Int, count: Int) throws(SoundFileError) -> [UInt8] {
    let end = offset.addingReportingOverflow(count)
    guard !end.overflow, end.partialValue <= Self.capacity else { return [] }
    while bytes.count < end.partialValue {
      let more = try stream.next(atMost: end.partialValue - bytes.count)
      if more.isEmpty { break }
      bytes += more
    }
    return Array(bytes.dropFirst(offset).prefix(count))
  }

  /// Waits for the bytes before the audio and consumes them.
  func skip(_ count: Int) throws(SoundFileError) {
    var rest = count
    while rest > 0 {
      if bytes.isEmpty { bytes = try stream.next(atMost: min(rest, 1 << 16)) }
      guard !bytes.isEmpty else { return }
      let skipped = min(rest, bytes.count)
      bytes.removeFirst(skipped)
      rest -= skipped
    }
  }

  /// Consumes and returns the inspected bytes.
  func popInspected() -> [UInt8] {
    defer { bytes = [] }
    return bytes
  }

  /// Waits for bytes and consumes some; none at the end.
  func read(into target: UnsafeMutableRawBufferPointer) throws(SoundFileError) -> Int {
    if bytes.isEmpty { bytes = try stream.next(atMost: target.count) }
    let count = min(bytes.count, target.count)
    target.copyBytes(from: bytes[..<count])
    bytes.removeFirst(count)
    return count
  }
}
