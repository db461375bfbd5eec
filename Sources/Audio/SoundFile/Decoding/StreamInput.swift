import AudioThreads
import FilePaths
import Glibc

/// A pipe, socket, or terminal as a source of audio of any length.
///
/// The first bytes can be inspected before they are read.
final class StreamInput {
  let source: Descriptor
  let path: String
  /// The signal that the audio is no longer needed; it is never reset.
  let interruption: WakeUp
  /// The time at which waiting ends, as if the read had been interrupted; nil for no deadline.
  private let deadline: ContinuousClock.Instant?
  /// The bytes that have been inspected but not read.
  private var inspected: [UInt8] = []
  /// The number of bytes that were read through `VirtualStorage`.
  private(set) var length = 0
  private(set) var readFailure: SoundFileError?

  /// The maximum number of bytes to inspect in memory: the chunks before the audio.
  private static let capacity = 1 << 24

  init(
    source: Descriptor, path: String, interruption: WakeUp,
    deadline: ContinuousClock.Instant? = nil
  ) {
    (self.source, self.path) = (source, path)
    (self.interruption, self.deadline) = (interruption, deadline)
  }

  /// Waits for up to `count` bytes at an offset and keeps them; returns fewer at the end of the
  /// stream.
  func bytes(at offset: Int, count: Int) throws(SoundFileError) -> [UInt8] {
    let end = offset.addingReportingOverflow(count)
    guard !end.overflow, end.partialValue <= Self.capacity else { return [] }
    while inspected.count < end.partialValue {
      let more = try receive(atMost: end.partialValue - inspected.count)
      if more.isEmpty { break }
      inspected += more
    }
    return Array(inspected.dropFirst(offset).prefix(count))
  }

  /// Waits for bytes and returns them; none at the end, or if the read was interrupted.
  func next(atMost count: Int) throws(SoundFileError) -> [UInt8] {
    guard !inspected.isEmpty else { return try receive(atMost: count) }
    let bytes = Array(inspected.prefix(count))
    inspected.removeFirst(bytes.count)
    return bytes
  }

  /// Waits for the bytes before the audio and discards them.
  func skip(_ count: Int) throws(SoundFileError) {
    let known = min(count, inspected.count)
    inspected.removeFirst(known)
    var rest = count - known
    while rest > 0, case let bytes = try receive(atMost: min(rest, 1 << 16)), !bytes.isEmpty {
      rest -= bytes.count
    }
  }

  /// Waits for the source and reads up to `count` bytes beyond the inspected bytes.
  private func receive(atMost count: Int) throws(SoundFileError) -> [UInt8] {
    while wait() {
      var code: Int32 = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
        let result = Glibc.read(source.number, buffer.baseAddress, count)
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
  /// `outlet` is the pipe to which the bytes are copied. Returns false if the read was interrupted,
  /// or if the reader of `outlet` is gone.
  private func wait(outlet: Int32 = -1) -> Bool {
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
  /// Returns a pipe with the bytes that have not been read.
  ///
  /// A thread copies the bytes to the pipe, at little cost. By closing the pipe, the thread can end
  /// a read that blocks in libsndfile.
  ///
  /// - Parameters:
  ///   - header: bytes to pass on before those of the stream.
  ///   - pass: receives the arriving bytes and returns the bytes to pass on, and whether they are
  ///     the last.
  func pumped(
    after header: [UInt8] = [],
    _ pass: @escaping @Sendable ([UInt8]) -> (bytes: [UInt8], isEnd: Bool) = { ($0, false) }
  ) throws(SoundFileError) -> Descriptor {
    let (outlet, inlet) = try Descriptor.pipe(path: path)
    let firstBytes = header + inspected
    inspected = []
    do {
      _ = try DedicatedThread.start(name: "syrinx-pipe") {
        [source, path, interruption, deadline] in
        // The thread gets its own input, because this input belongs to the calling thread.
        StreamInput(source: source, path: path, interruption: interruption, deadline: deadline)
          .pump(into: inlet, firstBytes: firstBytes, pass)
      }
    } catch {
      throw .cannotRead(path: path, reason: "\(error)")
    }
    return outlet
  }

  /// Copies bytes until the stream ends, the copying is interrupted, or the pipe's reader is gone.
  ///
  /// Signals are blocked on this thread, so a missing reader causes an error code, not SIGPIPE.
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
  /// Copies the rest of the stream to an unnamed file, which disappears with its descriptor.
  ///
  /// - Parameters:
  ///   - what: the kind of stream, for errors.
  ///   - largestSize: the maximum size in bytes; a longer stream is an error.
  func spooled(
    what: String, largestSize: Int = 2 << 30
  ) throws(SoundFileError) -> Descriptor {
    let folder = FilePath.temporaryFolder
    let file = try PendingFile(for: folder.appending("stream").text).descriptor
    var bytes = try next(atMost: max(1 << 16, inspected.count))
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

extension StreamInput: VirtualStorage {
  var isSeekable: Bool { false }

  /// Waits for bytes and reads the next ones in order; reads none at the end of the stream.
  func read(into target: UnsafeMutableRawBufferPointer, at _: Int) -> Int {
    do throws(SoundFileError) {
      let bytes = try next(atMost: target.count)
      target.copyBytes(from: bytes)
      length += bytes.count
      return bytes.count
    } catch {
      readFailure = readFailure ?? error
      return 0
    }
  }

  /// The stream is read-only.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
