import Glibc

/// A file that is mapped into memory; the system reads its pages on demand.
///
/// If another file replaces it by a rename, the mapping keeps the old contents. Reading a mapped
/// file that was truncated in place crashes the process, so such files must only be replaced.
package final class MappedFile: Sendable {
  // The bytes are never written: the pages are mapped for reading, and unmapped in `deinit`.
  package nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Maps the whole file; the corresponding C function is `mmap`.
  ///
  /// If `isReadAhead` is true, the system reads all pages now, because all will be needed.
  ///
  /// - Throws: `FilePathError`, with `ENODEV` for anything that is not a regular file.
  package init(_ path: FilePath, isReadAhead: Bool = false) throws(FilePathError) {
    // Opening a pipe must not wait for its writer.
    let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { throw FilePathError(code: errno) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FilePathError(code: errno) }
    guard status.isRegularFile else { throw FilePathError(code: ENODEV) }
    let size = Int(status.st_size)
    guard size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    let flags = MAP_PRIVATE | (isReadAhead ? MAP_POPULATE : 0)
    let start = mmap(nil, size, PROT_READ, flags, file, 0)
    guard start != MAP_FAILED else { throw FilePathError(code: errno) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  /// Returns the pages to the system, which maps them again when they are read.
  ///
  /// Other threads may read at the same time. The corresponding C function is `madvise`.
  package func releasePages() {
    madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, MADV_DONTNEED)
  }

  deinit {
    guard let start = bytes.baseAddress else { return }
    munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
  }
}
