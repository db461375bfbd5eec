package import FilePaths
import Glibc

/// A file that is mapped into memory; the system reads its pages on demand.
///
/// If another file replaces it by a rename, the mapping keeps the old contents. Reading a file that was
/// truncated in place would crash the process, so installed files are only ever replaced.
package final class MappedFile: Sendable {
  // Never written: the pages are mapped for reading.
  package nonisolated(unsafe) let bytes: UnsafeRawBufferPointer

  /// Maps the whole file; the corresponding C function is `mmap`.
  package init(_ path: FilePath) throws(ONNXError) {
    let file = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
    guard file >= 0 else { throw ONNXError(code: errno, path: path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ONNXError(code: errno, path: path) }
    let size = Int(status.st_size)
    guard status.st_mode & S_IFMT == S_IFREG, size > 0 else {
      throw .fileDamaged(path: path, reason: size > 0 ? "it is not a regular file" : "it is empty")
    }
    let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0)
    guard start != MAP_FAILED else { throw ONNXError(code: errno, path: path) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  /// Returns the pages to the system, which maps them again when they are read.
  ///
  /// Other threads may read at the same time. The corresponding C function is `madvise`.
  package func releasePages() {
    madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, MADV_DONTNEED)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }
}

extension ONNXError {
  /// The error for the `errno` of a file operation.
  package init(code: Int32, path: FilePath) {
    self =
      switch code {
      case ENOENT, ENOTDIR: .fileMissing(path: path)
      case ENOMEM: .outOfMemory(reason: "\(path) does not fit into memory")
      default: .fileUnreadable(path: path, code: code)
      }
  }
}
