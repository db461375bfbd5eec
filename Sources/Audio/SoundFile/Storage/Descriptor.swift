package import AudioThreads
import FilePaths
import Glibc

extension Descriptor {
  /// Opens a file for reading without waiting, not even for the writer of a named pipe.
  static func reading(_ path: String) throws(SoundFileError) -> Descriptor {
    let number = FilePath(path).withCString {
      open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    }
    guard number >= 0 else { throw .reading(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// Creates a file; returns nil if the name exists.
  static func making(_ path: String) throws(SoundFileError) -> Descriptor? {
    let number = FilePath(path).withCString {
      open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0o666)
    }
    if number < 0, errno == EEXIST { return nil }
    guard number >= 0 else { throw .writing(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// Opens a file for writing without truncating it; returns nil if no file exists.
  static func writing(_ path: String) throws(SoundFileError) -> Descriptor? {
    let number = FilePath(path).withCString { open($0, O_RDWR | O_CLOEXEC | O_NOCTTY) }
    if number < 0, errno == ENOENT { return nil }
    guard number >= 0 else { throw .writing(path, code: errno) }
    return Descriptor(owning: number)
  }

  /// Duplicates a descriptor that the caller keeps.
  ///
  /// If `isOutput` is true, a failure is reported as a write error.
  package static func duplicate(
    _ number: Int32, path: String, isOutput: Bool = false
  ) throws(SoundFileError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else {
      let code = errno
      throw isOutput
        ? .writing(path, code: code) : .reading(path, code: code)
    }
    return Descriptor(owning: copy)
  }

  /// Creates a pipe: bytes written to the inlet come out of the outlet.
  static func pipe(path: String) throws(SoundFileError) -> (outlet: Descriptor, inlet: Descriptor) {
    guard let pipe = pipe() else { throw .reading(path, code: errno) }
    return pipe
  }

  /// The free space on the disk for this user, in bytes; the corresponding C function is
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

  /// The size in bytes.
  var size: Int { Int(status.st_size) }

  /// The size in bytes; nil if the file is not regular.
  var fileSize: Int? {
    let status = status
    return status.isRegularFile ? Int(status.st_size) : nil
  }
  var isDirectory: Bool { status.isFolder }
  var isSeekable: Bool { lseek(number, 0, SEEK_CUR) >= 0 }
  var isRegularFile: Bool { status.isRegularFile }

  /// Returns up to `count` bytes at an offset of a regular file; fewer at its end.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { buffer, size in
      size = max(0, pread(number, buffer.baseAddress, count, offset))
    }
  }

  /// Returns a 32-bit big-endian number at an offset of a regular file; nil beyond its end.
  func number32(at offset: Int) -> UInt32? {
    var value: UInt32 = 0
    return pread(number, &value, 4, offset) == 4 ? value.bigEndian : nil
  }
}

extension Descriptor {
  /// Flushes written data to the disk; the corresponding C function is `fsync`.
  package func synchronize(path: String) throws(SoundFileError) {
    // Pipes and devices cannot be synchronized and return EINVAL, which is not a failure.
    guard fsync(number) != 0, errno != EINVAL, errno != EROFS else { return }
    throw .writing(path, code: errno)
  }

  /// Seeks to the first byte.
  func rewind() {
    lseek(number, 0, SEEK_SET)
  }
}

/// Writes all bytes like `writeAll`, without raising SIGPIPE.
func send(
  _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, stopSignal: WakeUp?
) -> Int32 {
  withoutPipeSignal { writeAll(bytes, to: descriptor, stopSignal: stopSignal) }
}

/// Blocks SIGPIPE, which would end the process, on this thread during `body`.
private func withoutPipeSignal(_ body: () -> Int32) -> Int32 {
  var pipeSignal = sigset_t()
  var previous = sigset_t()
  var pending = sigset_t()
  sigemptyset(&pipeSignal)
  sigaddset(&pipeSignal, SIGPIPE)
  sigpending(&pending)
  guard sigismember(&pending, SIGPIPE) == 0 else { return body() }

  pthread_sigmask(SIG_BLOCK, &pipeSignal, &previous)
  defer { pthread_sigmask(SIG_SETMASK, &previous, nil) }
  let code = body()
  if code == EPIPE {
    // The signal is pending on this thread; `sigtimedwait` consumes it here, so it is not
    // delivered.
    var now = timespec()
    sigtimedwait(&pipeSignal, nil, &now)
  }
  return code
}
