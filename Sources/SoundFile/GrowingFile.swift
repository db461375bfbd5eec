import Glibc

/// A file that is being written: it knows how much of it is there and what went wrong first.
///
/// After a failure, and when others have cut it, it grows no more, so that no gap and no part of a
/// block comes into it, but what is there, for example its header, can still be brought up to date.
final class GrowingFile {
  let path: String
  private var claim: FileClaim

  /// In bytes: the end of what the system has taken.
  private(set) var length = 0
  /// The end of the last write that went in whole.
  private(set) var wholeLength = 0
  /// The code of the first write that failed, 0 before.
  private(set) var failureCode: Int32 = 0
  /// Whether others have cut it.
  private(set) var isCut = false

  /// Whether anything can still be written behind its end.
  var mayGrow: Bool { failureCode == 0 && !isCut }

  var descriptor: Descriptor { claim.descriptor }

  /// Whether another file still has the name, and goes when this one is published.
  var isPending: Bool { claim.isPending }

  /// Makes a file, which takes the place of one that is there when it is published.
  ///
  /// - Parameter isAtomic: whether a new file, too, has its name only when it is published.
  init(
    path: String, replacesExisting: Bool = true, isAtomic: Bool = false
  ) throws(SoundFileError) {
    self.path = path
    claim = try FileClaim.of(path, replacesExisting: replacesExisting, isAtomic: isAtomic)
    guard descriptor.isSeekable else {
      throw .cannotWrite(
        path: path, reason: "it is not a regular file: its header could not be completed")
    }
  }

  /// Gives it its name, where another file has that; again it does nothing.
  func publish() throws(SoundFileError) {
    try claim.publish()
  }

  /// Leaves the name as it was before: to the file that was there, or to none.
  func discard() {
    claim.discard()
  }

  /// Lets others write the file of this name.
  func release() {
    claim.release()
  }

  /// The system's error of the first failed write.
  var failure: SoundFileError? {
    switch failureCode {
    case 0: nil
    case EACCES, EPERM:
      .cannotWrite(
        path: path,
        reason: "the permission to do so was lost; what was written before is kept")
    default: SystemErrors.writing(path, code: failureCode)
    }
  }

  /// Writes at the end; how many bytes are written is in `length`.
  func append(_ bytes: UnsafeRawBufferPointer) -> Int { write(bytes, at: length) }

  /// Writes anywhere; the number of bytes that were written.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int {
    guard mayGrow || offset + bytes.count <= length else { return 0 }
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

  /// Cuts off what is behind; the corresponding C function is `ftruncate`.
  func truncate(to end: Int) {
    guard end < length, ftruncate(descriptor.number, end) == 0 else { return }
    (length, wholeLength) = (end, min(end, wholeLength))
  }

  /// Has the disk store what was written; the corresponding C function is `fdatasync`.
  func synchronise() {
    if fdatasync(descriptor.number) != 0 { note(failureCode: errno) }
  }

  /// Keeps the first failure; 0 is none, and EINVAL means that there is no disk behind the file.
  func note(failureCode code: Int32) {
    if failureCode == 0, ![0, EINVAL, EROFS].contains(code) { failureCode = code }
  }

  /// Takes it that others have left so many bytes.
  func accept(cut size: Int) {
    isCut = true
    (length, wholeLength) = (size, min(size, wholeLength))
  }

  /// What has happened to the file behind our back; nil where nothing has.
  func loss() -> FileLoss? {
    let status = descriptor.status
    guard status.st_mode & S_IFMT == S_IFREG else { return nil }
    let linkCount = isPending ? 1 : Int(status.st_nlink)
    return FileLoss(linkCount: linkCount, size: Int(status.st_size), written: length)
  }
}

extension GrowingFile: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    max(0, pread(descriptor.number, bytes.baseAddress, bytes.count, offset))
  }
}
