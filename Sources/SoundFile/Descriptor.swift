import AudioThreads
import FilePaths
import Glibc

/// The owner of a file descriptor: closed when the last reference goes.
package final class Descriptor: Sendable {
  /// Its number.
  package let number: Int32

  /// Takes over a descriptor that is open.
  init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens a file to be read, without waiting, not even for the writer of a named pipe.
  static func reading(_ path: String) throws(SoundFileError) -> Descriptor {
    let number = FilePath(path).withCString {
      open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard number >= 0 else { throw SystemErrors.reading(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// Makes a file; nil where the name is taken.
  static func making(_ path: String) throws(SoundFileError) -> Descriptor? {
    let number = FilePath(path).withCString {
      open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o666)
    }
    if number < 0, errno == EEXIST { return nil }
    guard number >= 0 else { throw SystemErrors.writing(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// Opens a file to be written, in which everything stays; nil where there is none.
  static func writing(_ path: String) throws(SoundFileError) -> Descriptor? {
    let number = FilePath(path).withCString { open($0, O_RDWR | O_CLOEXEC | O_NOCTTY) }
    if number < 0, errno == ENOENT { return nil }
    guard number >= 0 else { throw SystemErrors.writing(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// A second descriptor for a file that the caller keeps.
  package static func duplicate(_ number: Int32, path: String) throws(SoundFileError) -> Descriptor
  {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw SystemErrors.reading(path, code: errno) }
    return Descriptor(owning: copy)
  }

  /// A pipe: what is written into the second comes out of the first.
  static func pipe(path: String) throws(SoundFileError) -> (outlet: Descriptor, inlet: Descriptor) {
    guard let ends = makePrivatePipe() else { throw SystemErrors.reading(path, code: errno) }
    return (Descriptor(owning: ends.outlet), Descriptor(owning: ends.inlet))
  }

  /// A file in `folder` that never has a name: it goes when the descriptor does.
  static func temporary(in folder: FilePath) throws(SoundFileError) -> Descriptor {
    try PendingFile(for: folder.appending("stream").text).descriptor
  }

  /// The bytes that this user can still write to the disk; the corresponding C function is
  /// `fstatvfs`.
  var freeSpace: Int? {
    var disk = statvfs()
    guard fstatvfs(number, &disk) == 0 else { return nil }
    let (blocks, size) = (UInt64(disk.f_bavail), UInt64(disk.f_frsize))
    let (bytes, isBeyondCounting) = blocks.multipliedReportingOverflow(by: size)
    return isBeyondCounting ? .max : Int(clamping: bytes)
  }

  /// The corresponding C function is `fstat`.
  var status: stat {
    var status = stat()
    fstat(number, &status)
    return status
  }

  /// In bytes.
  var size: Int { Int(status.st_size) }
  var isDirectory: Bool { status.st_mode & S_IFMT == S_IFDIR }
  var isSeekable: Bool { lseek(number, 0, SEEK_CUR) >= 0 }
  var isRegularFile: Bool { status.st_mode & S_IFMT == S_IFREG }

  /// Up to `count` bytes at a place of a regular file; fewer where it ends.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = max(0, pread(number, buffer.baseAddress, count, offset))
    }
  }

  /// Four bytes at a place of a regular file as a number, the highest first; nil behind its end.
  func number32(at offset: Int) -> UInt32? {
    var value: UInt32 = 0
    return pread(number, &value, 4, offset) == 4 ? value.bigEndian : nil
  }
}

extension Descriptor {
  /// Has the disk store what was written; the corresponding C function is `fsync`.
  package func synchronize(path: String) throws(SoundFileError) {
    // Pipes and devices cannot be synchronized, and say so with EINVAL.
    guard fsync(number) != 0, errno != EINVAL, errno != EROFS else { return }
    throw SystemErrors.writing(path, code: errno)
  }

  /// Goes back to the first byte.
  func rewind() {
    lseek(number, 0, SEEK_SET)
  }
}
