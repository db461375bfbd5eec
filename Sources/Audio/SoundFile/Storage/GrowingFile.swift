import AudioThreads
import FilePaths
import Glibc

/// A file that is being written, with its length and its first failure.
///
/// After a failure, or if another process truncates the file, the file stops growing, so it
/// contains no gaps and no partial blocks. Existing bytes, such as the header, can still be
/// updated.
final class GrowingFile {
  let path: String
  /// Whether the file is a stream: its bytes go to a descriptor in order, and cannot be updated or
  /// read.
  let isStream: Bool
  /// The file and its name; until the file is published, the name may belong to an existing file.
  let claim: PendingFile

  /// The end of the written bytes.
  private(set) var length = 0
  /// The end of the last complete write.
  private(set) var wholeLength = 0
  /// The code of the first failed write, or 0.
  private(set) var failureCode: Int32 = 0
  /// Whether another process has truncated the file.
  private(set) var isCut = false

  /// Whether bytes can be appended.
  var mayGrow: Bool { failureCode == 0 && !isCut }

  var descriptor: Descriptor { claim.descriptor }

  private let stopSignal: WakeUp?

  /// Creates a file, which replaces an existing file when it is published.
  ///
  /// If `isAtomic` is true, even a new file appears only when it is published.
  init(
    path: String, replacesExisting: Bool = true, isAtomic: Bool = false
  ) throws(SoundFileError) {
    self.path = path
    (isStream, stopSignal) = (false, nil)
    claim = try PendingFile.claiming(path, replacesExisting: replacesExisting, isAtomic: isAtomic)
    guard descriptor.isSeekable else {
      throw .cannotWrite(
        path: path, reason: "it is not a regular file: its header could not be completed")
    }
  }

  /// Writes a stream to a descriptor, such as a pipe.
  ///
  /// Once `stopSignal` is signaled, a write fails if the reader reads nothing for a second.
  init(streamingTo descriptor: Descriptor, name: String, stopSignal: WakeUp?) {
    (path, isStream, self.stopSignal) = (name, true, stopSignal)
    claim = .borrowing(descriptor, name: name)
  }

  deinit {
    // Releases the lock explicitly, because a child process that is starting still has the
    // descriptor and thus the lock.
    claim.release()
  }

  /// The error of the first failed write.
  var failure: SoundFileError? {
    switch failureCode {
    case 0: nil
    case EACCES, EPERM:
      .cannotWrite(
        path: path,
        reason: "the permission to do so was lost; what was written before is kept")
    default: .writing(path, code: failureCode)
    }
  }

  /// Appends bytes and returns the number written.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int { write(bytes, at: length) }

  /// Writes bytes at any offset and returns the number written.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    guard mayGrow || offset + bytes.count <= length else { return 0 }
    guard !isStream else { return stream(bytes, at: offset) }
    var done = 0
    while done < bytes.count {
      let rest = UnsafeRawBufferPointer(rebasing: bytes[done...])
      let count = pwrite(descriptor.number, rest.baseAddress, rest.count, offset + done)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else {
        if failureCode == 0 { failureCode = count < 0 ? errno : ENOSPC }
        break
      }
      done += count
    }
    length = max(length, offset + done)
    if done == bytes.count { wholeLength = max(wholeLength, length) }
    return done
  }

  /// Appends the bytes beyond the end of the stream; updates of earlier bytes are dropped.
  private func stream(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    let new = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(max(0, length - offset)))
    guard !new.isEmpty else { return bytes.count }
    failureCode = send(new, to: descriptor.number, stopSignal: stopSignal)
    guard failureCode == 0 else { return 0 }
    length += new.count
    wholeLength = length
    return bytes.count
  }

  /// Truncates the file; the corresponding C function is `ftruncate`.
  func truncate(to end: Int) {
    guard !isStream, end < length, ftruncate(descriptor.number, end) == 0 else { return }
    (length, wholeLength) = (end, min(end, wholeLength))
  }

  /// Flushes written data to the disk; the corresponding C function is `fdatasync`.
  func synchronize() {
    if fdatasync(descriptor.number) != 0 { note(failureCode: errno) }
  }

  /// Records the first failure, unless the code is 0 (success), or EINVAL or EROFS (the file is not
  /// on a disk).
  func note(failureCode code: Int32) {
    if failureCode == 0, ![0, EINVAL, EROFS].contains(code) { failureCode = code }
  }

  /// Records that another process has truncated the file to `size` bytes.
  func accept(cut size: Int) {
    isCut = true
    (length, wholeLength) = (size, min(size, wholeLength))
  }

  /// Returns a 32-bit big-endian number; nil if the offset is beyond the end, or if the file is a
  /// stream.
  func number32(at offset: Int) -> UInt32? {
    isStream ? nil : descriptor.number32(at: offset)
  }

  /// Whether another process has removed the file, which disappears when it is closed.
  var isRemoved: Bool {
    let status = descriptor.status
    return !isStream && status.isRegularFile && !claim.isPending && status.st_nlink == 0
  }

  /// The size in bytes to which another process has truncated the file; nil if none has.
  var cutSize: Int? {
    let status = descriptor.status
    guard !isStream, status.isRegularFile, status.st_size < length else { return nil }
    return Int(status.st_size)
  }
}

extension GrowingFile: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    max(0, pread(descriptor.number, bytes.baseAddress, bytes.count, offset))
  }
}
