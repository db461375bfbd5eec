package import FilePaths
import Glibc

/// A file's bytes as memory, which is read from the file when it is needed.
///
/// A file that is replaced by a rename stays as it was; one that is shortened in place would end
/// the process that reads on, which is why installed files are only ever replaced.
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
      throw .fileDamaged(path: path, reason: size > 0 ? "it is no file" : "it is empty")
    }
    let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, file, 0)
    guard start != MAP_FAILED else { throw ONNXError(code: errno, path: path) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  /// Gives the pages back to the system, which brings them again when they are read.
  ///
  /// Any thread may read meanwhile. The corresponding C function is `madvise`.
  package func releasePages() {
    madvise(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count, MADV_DONTNEED)
  }

  deinit {
    munmap(UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count)
  }
}

extension ONNXError {
  /// What the system says of a file, by the code of C.
  package init(code: Int32, path: FilePath) {
    self =
      switch code {
      case ENOENT, ENOTDIR: .fileMissing(path: path)
      case ENOMEM: .outOfMemory(reason: "\(path) does not fit into it")
      default: .fileUnreadable(path: path, code: code)
      }
  }
}
