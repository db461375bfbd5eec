import FilePaths
import Glibc

/// A new file on its way to a name: until `publish` gives it that name, whatever has the name stays as
/// it is.
///
/// Meanwhile it has no name at all, so that nobody can plant a link in its place, and a process that
/// is killed leaves nothing behind. On a file system without such files it has a random name.
package final class PendingFile {
  /// What is written into.
  package let descriptor: Descriptor
  private let path: String
  /// The random name; nil while there is none.
  private var name: FilePath?

  /// Makes a file in the folder of `path`.
  ///
  /// - Parameter isNamed: whether it has a random name from the beginning.
  package init(for path: String, isNamed: Bool = false) throws(SoundFileError) {
    self.path = path
    // Swift's Glibc module shows no O_TMPFILE, which is this and O_DIRECTORY.
    let unnamed = 0o20000000 | O_DIRECTORY
    let number =
      isNamed
      ? -1
      : FilePath(path).folder.withCString { open($0, unnamed | O_RDWR | O_CLOEXEC, 0o666) }
    guard number < 0 else {
      descriptor = Descriptor(owning: number)
      return
    }
    let named = Self.withRandomName(beside: path) {
      open($0, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
    guard named.result >= 0 else { throw Self.error(path, code: errno) }
    descriptor = Descriptor(owning: named.result)
    name = named.name
  }

  deinit {
    name?.remove()
  }

  /// Gives the file its name, once; the file that had it is gone then.
  ///
  /// The corresponding C functions are `linkat` and `rename`.
  package func publish() throws(SoundFileError) {
    if name == nil {
      let (new, result) = Self.withRandomName(beside: path) {
        linkat(
          AT_FDCWD, "/proc/self/fd/\(descriptor.number)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
      }
      guard result == 0 else { throw Self.error(path, code: errno) }
      name = new
    }
    let result = name?.withCString { old in FilePath(path).withCString { rename(old, $0) } }
    guard result == 0 else { throw Self.error(path, code: errno) }
    self.name = nil
  }

  /// Makes something with a name that nobody can foresee, and that is free.
  private static func withRandomName(
    beside path: String, _ make: (UnsafePointer<CChar>) -> Int32
  ) -> (name: FilePath, result: Int32) {
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let name = FilePath(path).folder.appending(FilePath(".syrinx-\(random)"))
      let result = name.withCString(make)
      if result >= 0 || errno != EEXIST { return (name, result) }
    }
  }

  private static func error(_ path: String, code: Int32) -> SoundFileError {
    guard code == EACCES || code == EPERM else { return SystemErrors.writing(path, code: code) }
    return .cannotWrite(
      path: path,
      reason: "you may not make files in its folder; `ls -ld` shows who may, `chmod` changes it")
  }
}
