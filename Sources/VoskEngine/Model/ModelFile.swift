import FilePaths
import Glibc
import SpeechEngine

/// What is wrong with a file of a model, for people.
struct VoskModelDamage: Error, Equatable {
  let reason: String
}

/// The beginning of a file of a model, and how long the whole is.
///
/// The files themselves may have gigabytes, which only libvosk reads.
struct ModelFile {
  /// How much is read.
  static let headLength = 4_096

  let head: [UInt8]
  let size: Int

  /// - Throws: `.modelDamaged` for one that is missing, `.modelUnreadable`; `.failed` where a limit
  ///   is to blame.
  init(path: String) throws(SpeechEngineError) {
    let descriptor = FilePath(path).withCString {
      open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    }
    guard descriptor >= 0 else {
      switch errno {
      case ENOENT, ENOTDIR: throw .modelDamaged(path: path, reason: "it is missing")
      case let code: throw .unreadable(path, code: code)
      }
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw .modelDamaged(path: path, reason: "it is no file")
    }
    size = Int(status.st_size)
    let length = min(size, Self.headLength)
    var count = 0
    // read fills at most what was reserved, and says how much of it.
    head = [UInt8](unsafeUninitializedCapacity: length) { buffer, initialized in
      count = max(0, read(descriptor, buffer.baseAddress, length))
      initialized = count
    }
    guard count == length else {
      throw .modelDamaged(path: path, reason: "it cannot be read")
    }
  }
}
