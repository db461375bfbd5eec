import FilePaths
import Glibc

/// The right to write a file of a name, for one writer at a time.
///
/// An existing file is unchanged until it is replaced. It and its replacement are locked with
/// `flock`, whose locks end with the process.
package struct FileClaim {
  /// The file to write.
  package let descriptor: Descriptor
  private let path: String
  private var isNew = false
  /// Whether the caller has opened the file, and may have locked it.
  private var isBorrowed = false
  /// The existing file, and its replacement.
  private var existing: Descriptor?
  private var replacement: PendingFile?

  /// Claims a name, which may exist unless `replacesExisting` is false.
  ///
  /// - Parameter isAtomic: whether even a new file appears only when it is published.
  package static func of(
    _ path: String, replacesExisting: Bool, isAtomic: Bool = false
  ) throws(SoundFileError) -> FileClaim {
    if isAtomic, FilePath(path).status == nil {
      let target = linkTarget(path) ?? path
      let file = try PendingFile(for: target)
      try file.descriptor.lock(path)
      return FileClaim(descriptor: file.descriptor, path: target, replacement: file)
    }
    if let new = try Descriptor.making(path) {
      try new.lock(path)
      return FileClaim(descriptor: new, path: path, isNew: true)
    }
    guard replacesExisting else { throw .alreadyExists(path: path) }
    guard let existing = try lockedFile(path) else {
      // The name is a dangling link, or its file was just removed.
      return try of(linkTarget(path) ?? path, replacesExisting: true)
    }
    // A device is written directly.
    guard existing.isRegularFile else { return FileClaim(descriptor: existing, path: path) }
    let replacement = try PendingFile(for: resolved(path))
    try replacement.descriptor.lock(path)
    replacement.descriptor.adoptRights(of: existing.status)
    return FileClaim(
      descriptor: replacement.descriptor, path: path, existing: existing, replacement: replacement)
  }

  /// Begins a file that replaces any file at a path, without locking it.
  ///
  /// A link is replaced and not followed, because others can place links at names that they can
  /// predict. The rights of this user's own file are adopted.
  package static func replacing(_ path: String) throws(SoundFileError) -> FileClaim {
    let file = try PendingFile(for: path)
    var old = stat()
    let exists = FilePath(path).withCString { lstat($0, &old) } == 0
    if exists, old.st_mode & S_IFMT == S_IFREG, old.st_uid == geteuid() {
      file.descriptor.adoptRights(of: old)
    }
    return FileClaim(descriptor: file.descriptor, path: path, replacement: file)
  }

  /// The claim of a descriptor that the caller has opened.
  static func of(_ descriptor: Descriptor, name: String) -> FileClaim {
    FileClaim(descriptor: descriptor, path: name, isBorrowed: true)
  }

  /// Whether the written file has no name yet.
  var isPending: Bool { replacement != nil }

  /// Publishes the written file under its name; calling it again has no effect.
  package mutating func publish() throws(SoundFileError) {
    guard let file = replacement.take() else { return }
    try file.publish()
    existing = nil
  }

  /// Restores the previous state of the name: an existing file, or none.
  func discard() {
    guard isNew, descriptor.isFile(at: path) else { return }
    FilePath(path).remove()
  }

  /// Releases the name for other writers.
  func release() {
    guard !isBorrowed else { return }
    flock(descriptor.number, LOCK_UN)
    if let existing { flock(existing.number, LOCK_UN) }
  }

  /// The locked file of the name, after checking that it was not replaced; nil if there is none.
  private static func lockedFile(_ path: String) throws(SoundFileError) -> Descriptor? {
    while true {
      guard let file = try Descriptor.writing(path) else { return nil }
      guard file.isRegularFile else { return file }
      try file.lock(path)
      if file.isFile(at: path) { return file }
    }
  }
}

/// The path of the target of a link, or the path itself.
private func resolved(_ path: String) -> String {
  guard let real = FilePath(path).withCString({ realpath($0, nil) }) else { return path }
  // The caller owns the returned string.
  defer { free(real) }
  return FilePath(cString: real).text
}

/// The target of a link, which may not exist; nil if it is not a link.
private func linkTarget(_ path: String) -> String? {
  var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
  let count = FilePath(path).withCString { readlink($0, &bytes, bytes.count - 1) }
  guard count > 0 else { return nil }
  let target = FilePath(cString: bytes).text
  guard !target.hasPrefix("/"), let folder = path.lastIndex(of: "/") else { return target }
  return path[...folder] + target
}

extension Descriptor {
  /// Locks the file; throws `.inUse` if it is locked.
  ///
  /// The corresponding C function is `flock`.
  fileprivate func lock(_ path: String) throws(SoundFileError) {
    // A file system without locks is treated as unlocked.
    guard flock(number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK else { return }
    throw .inUse(path: path)
  }

  /// Whether the path leads to this file.
  fileprivate func isFile(at path: String) -> Bool {
    FilePath(path).status.map(status.isSameFile) ?? false
  }

  /// Adopts owner, group, and permissions, as far as this user may.
  fileprivate func adoptRights(of other: stat) {
    if fchown(number, other.st_uid, other.st_gid) != 0 { _ = fchown(number, .max, other.st_gid) }
    fchmod(number, other.st_mode & 0o777)
  }
}

/// A new file that does not replace the file of its name until `publish`.
///
/// Until then it has no name, so nobody can place a link there, and a killed process leaves nothing
/// behind. On a file system without unnamed files, it has a random name and is locked. What a killed
/// process has left there has no lock, and the next such file in its folder removes it.
package final class PendingFile {
  /// The file to write.
  package let descriptor: Descriptor
  private let path: String
  /// The random name, if it has one.
  private var name: FilePath?

  /// Creates a file in the folder of `path`.
  ///
  /// - Parameter isNamed: whether it starts with a random name.
  package init(for path: String, isNamed: Bool = false) throws(SoundFileError) {
    self.path = path
    // Swift's Glibc module lacks O_TMPFILE, which consists of this bit and O_DIRECTORY.
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
    flock(descriptor.number, LOCK_EX | LOCK_NB)
    Self.removeAbandoned(in: FilePath(path).folder)
  }

  /// Removes the files of killed processes: those with a random name, of this user, without a lock.
  ///
  /// A file is locked a moment after its creation, so a young one is kept.
  private static func removeAbandoned(in folder: FilePath) {
    let isPrefixed = { (name: FilePath) in name.bytes.starts(with: namePrefix.utf8) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // Without the right to list the folder, they stay.
    for name in folder.names ?? [] where isPrefixed(name) {
      let file = folder.appending(name)
      guard let status = file.status, status.st_mode & S_IFMT == S_IFREG,
        status.st_uid == geteuid(),
        now.tv_sec - status.st_mtim.tv_sec > Self.youngestAbandoned,
        let other = try? Descriptor.writing(file.text), other.status.isSameFile(as: status),
        flock(other.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      file.remove()
    }
  }

  /// In seconds.
  private static let youngestAbandoned = 60
  private static let namePrefix = ".syrinx-"

  deinit {
    name?.remove()
  }

  /// Gives the file its name, once, and replaces the existing file.
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

  /// Creates a file or a link with an unpredictable, unused name.
  private static func withRandomName(
    beside path: String, _ make: (UnsafePointer<CChar>) -> Int32
  ) -> (name: FilePath, result: Int32) {
    while true {
      let random = String(UInt64.random(in: 0 ... .max), radix: 36)
      let name = FilePath(path).folder.appending(FilePath("\(namePrefix)\(random)"))
      let result = name.withCString(make)
      if result >= 0 || errno != EEXIST { return (name, result) }
    }
  }

  private static func error(_ path: String, code: Int32) -> SoundFileError {
    guard code == EACCES || code == EPERM else { return SystemErrors.writing(path, code: code) }
    return .cannotWrite(
      path: path,
      reason: "you do not have permission to create files in its folder; "
        + "check with `ls -ld`, change it with `chmod`")
  }
}
