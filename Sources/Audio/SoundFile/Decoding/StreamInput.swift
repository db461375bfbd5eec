import AudioThreads
import FilePaths
import Glibc

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
      default: throw .reading(path, code: code)
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
    guard code == 0 else { throw .writing(folder.text, code: code) }
  }
}

/// A stream whose first bytes can be inspected before they are consumed.
final class StreamHead {
  let stream: StreamInput
  private var bytes: [UInt8] = []
  /// The number of bytes that were read as those of a virtual file.
  private(set) var length = 0
  private(set) var readFailure: SoundFileError?

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
}

extension StreamHead: VirtualStorage {
  var isSeekable: Bool { false }

  /// Waits for bytes and consumes some, in order; none at the end.
  func read(into target: UnsafeMutableRawBufferPointer, at _: Int) -> Int {
    do throws(SoundFileError) {
      if bytes.isEmpty { bytes = try stream.next(atMost: target.count) }
    } catch {
      readFailure = readFailure ?? error
      return 0
    }
    let count = min(bytes.count, target.count)
    target.copyBytes(from: bytes[..<count])
    bytes.removeFirst(count)
    length += count
    return count
  }

  /// The stream is read-only.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
