import FilePaths
import Glibc

/// The right to write the file of a name, which one writer has at a time.
///
/// A file that is there stays as it is until something takes its place: it is locked meanwhile, as is
/// the one that is written. The locks are those of `flock`, which end with the process however that
/// ends.
struct FileClaim {
  /// What is written into.
  let descriptor: Descriptor
  private let path: String
  private let isNew: Bool
  /// The file that still has the name, and what takes its place.
  private var existing: Descriptor?
  private var replacement: PendingFile?

  /// Claims a name, where there may be a file already unless `replacesExisting` is false.
  ///
  /// - Parameter isAtomic: whether a new file, too, has its name only when it is published.
  static func of(
    _ path: String, replacesExisting: Bool, isAtomic: Bool = false
  ) throws(SoundFileError) -> FileClaim {
    if isAtomic, FilePath(path).status == nil {
      let target = linkTarget(path) ?? path
      let file = try PendingFile(for: target)
      try file.descriptor.lock(path)
      return FileClaim(target, file.descriptor, by: file)
    }
    if let new = try Descriptor.making(path) {
      try new.lock(path)
      return FileClaim(path, new, isNew: true)
    }
    guard replacesExisting else { throw .alreadyExists(path: path) }
    guard let existing = try lockedFile(path) else {
      // The name is that of a link to nothing, or what had it has gone meanwhile.
      return try of(linkTarget(path) ?? path, replacesExisting: true)
    }
    // A device is written as it is.
    guard existing.isRegularFile else { return FileClaim(path, existing) }
    let replacement = try PendingFile(for: resolved(path))
    try replacement.descriptor.lock(path)
    replacement.descriptor.adoptRights(of: existing.status)
    return FileClaim(path, replacement.descriptor, replacing: existing, by: replacement)
  }

  private init(
    _ path: String, _ descriptor: Descriptor, isNew: Bool = false,
    replacing existing: Descriptor? = nil, by replacement: PendingFile? = nil
  ) {
    (self.path, self.descriptor, self.isNew) = (path, descriptor, isNew)
    (self.existing, self.replacement) = (existing, replacement)
  }

  /// Whether what is written has no name yet.
  var isPending: Bool { replacement != nil }

  /// Gives what was written its name; again it does nothing.
  mutating func publish() throws(SoundFileError) {
    guard let file = replacement.take() else { return }
    try file.publish()
    existing = nil
  }

  /// Leaves everything as it was before.
  func discard() {
    guard isNew, descriptor.isFile(at: path) else { return }
    FilePath(path).remove()
  }

  /// Lets others claim the name.
  func release() {
    flock(descriptor.number, LOCK_UN)
    if let existing { flock(existing.number, LOCK_UN) }
  }

  /// The file that has the name, unless another has replaced it meanwhile; nil where
  /// there is none.
  private static func lockedFile(_ path: String) throws(SoundFileError) -> Descriptor? {
    while true {
      guard let file = try Descriptor.writing(path) else { return nil }
      guard file.isRegularFile else { return file }
      try file.lock(path)
      if file.isFile(at: path) { return file }
    }
  }
}

/// The path of the file itself, where a link leads to it.
private func resolved(_ path: String) -> String {
  guard let real = FilePath(path).withCString({ realpath($0, nil) }) else { return path }
  // What it gives belongs to the caller.
  defer { free(real) }
  return FilePath(cString: real).text
}

/// Where a link leads to, whether something is there or not; nil for what is no link.
private func linkTarget(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = FilePath(path).withCString { readlink($0, &bytes, bytes.count - 1) }
  guard count > 0 else { return nil }
  let target = FilePath(cString: bytes).text
  guard !target.hasPrefix("/"), let folder = path.lastIndex(of: "/") else { return target }
  return path[...folder] + target
}

extension Descriptor {
  /// Throws `.inUse` where another has locked the file; the corresponding C function is `flock`.
  fileprivate func lock(_ path: String) throws(SoundFileError) {
    // A file system without locks has no other writer to exclude.
    guard flock(number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw .inUse(path: path)
  }

  /// Whether this is the file that the name leads to.
  fileprivate func isFile(at path: String) -> Bool {
    FilePath(path).status.map(status.isSameFile) ?? false
  }

  /// Owner, group and permissions, as far as this user may give them.
  fileprivate func adoptRights(of other: stat) {
    if fchown(number, other.st_uid, other.st_gid) != 0 { _ = fchown(number, .max, other.st_gid) }
    fchmod(number, other.st_mode & 0o777)
  }
}

/// A new file on its way to a name: until `publish` gives it that name, whatever has the name stays as
/// it is.
///
/// Meanwhile it has no name at all, so that no link can be planted in its place, and a process that
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

  /// Creates something with an unpredictable, unused name.
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
