import Glibc

/// The one place where codes of the system become errors of ours.
enum SystemErrors {
  static func reading(_ path: String, code: Int32) -> SoundFileError {
    switch code {
    case ENOENT, ENOTDIR: .notFound(path: path)
    case EISDIR: .isDirectory(path: path)
    case EACCES, EPERM: .permissionDenied(path: path)
    default: .cannotRead(path: path, reason: text(code))
    }
  }

  static func writing(_ path: String, code: Int32) -> SoundFileError {
    switch code {
    case ENOENT, ENOTDIR: .notFound(path: path)
    case EISDIR: .isDirectory(path: path)
    case EEXIST: .alreadyExists(path: path)
    case EACCES, EPERM: .permissionDenied(path: path)
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EFBIG: .tooLarge(path: path)
    case EPIPE: .brokenPipe(path: path)
    case ETIMEDOUT: .cannotWrite(path: path, reason: "its reader takes nothing")
    default: .cannotWrite(path: path, reason: text(code))
    }
  }

  private static func text(_ code: Int32) -> String {
    "\(String(cString: strerror(code))) (errno \(code))"
  }
}
