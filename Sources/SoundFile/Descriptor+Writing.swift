import Glibc

extension Descriptor {
  /// Has the disk store what was written; the corresponding C function is `fsync`.
  package func synchronise(path: String) throws(SoundFileError) {
    // Pipes and devices cannot be synchronised, and say so with EINVAL.
    guard fsync(number) != 0, errno != EINVAL, errno != EROFS else { return }
    throw SystemErrors.writing(path, code: errno)
  }

  /// Goes back to the first byte.
  func rewind() {
    lseek(number, 0, SEEK_SET)
  }
}
