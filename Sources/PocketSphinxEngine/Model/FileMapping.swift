import FilePaths
import Glibc
import SpeechEngine

/// A file's bytes where the kernel has them: a language model has 27 MB, and to read them into
/// memory of one's own takes longer than to check them.
///
/// Unchecked, because it holds a pointer; right, because nobody writes through it. Who cuts a file
/// short while it is mapped ends the process; PocketSphinx maps the same files for as long as it
/// has them loaded.
final class FileMapping: @unchecked Sendable {
  // Read only, and unmapped with this object alone: whoever keeps the pointer keeps the object.
  let bytes: UnsafeRawBufferPointer

  /// Maps a whole file.
  ///
  /// - Throws: `.modelUnreadable`; `.failed` where not the file but a limit is to blame.
  init(path: String) throws(SpeechEngineError) {
    let descriptor = FilePath(path).withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard descriptor >= 0 else { throw .unreadable(path, code: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .modelUnreadable(path: path)
    }
    let size = Int(status.st_size)
    guard size > 0 else {
      bytes = UnsafeRawBufferPointer(start: nil, count: 0)
      return
    }
    let start = mmap(nil, size, PROT_READ, MAP_PRIVATE | MAP_POPULATE, descriptor, 0)
    guard let start, start != MAP_FAILED else { throw .unreadable(path, code: errno) }
    bytes = UnsafeRawBufferPointer(start: start, count: size)
  }

  deinit {
    if let start = bytes.baseAddress {
      munmap(UnsafeMutableRawPointer(mutating: start), bytes.count)
    }
  }
}
