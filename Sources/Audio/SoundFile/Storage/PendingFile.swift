package import AudioThreads
import FilePaths
import Glibc

/// A file that gets its name, and replaces any file of that name, when it is published.
///
/// Until then, the file has no name, so other processes cannot put a link in its place, and a
/// killed process leaves no file. On a file system without unnamed files, the file has a random
/// name and a lock. A killed process then leaves an unlocked file, which the next pending file in
/// the folder removes.
///
/// A claimed name has one writer at a time: the existing file and its replacement are locked with
/// `flock`. The locks end with the process. A new file that is not atomic, and a device, are
/// written under their names from the start.
package final class PendingFile {
  /// The file to write.
  package let descriptor: Descriptor
  /// Whether the file is not published yet.
  private(set) var isPending = false
  /// The path of the file once it is published.
  package let path: String
  /// The random name; nil for an unnamed file.
  private var name: FilePath?
  /// Whether the file was created under its final name.
  private let isNew: Bool
  /// Whether the caller has opened, and possibly locked, the file.
  private let isBorrowed: Bool
  /// The locked file that will be replaced.
  private var existing: Descriptor?

  /// Creates a file in the folder of `path`, without a name if the file system permits that.
  ///
  /// If `isNamed` is true, the file always has a random name.
  package init(for path: String, isNamed: Bool = false) throws(SoundFileError) {
    self.path = path
    (isPending, isNew, isBorrowed) = (true, false, false)
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

  /// Wraps a file that is written directly instead of being published later.
  private init(
    directly descriptor: Descriptor, path: String, isNew: Bool = false, isBorrowed: Bool = false
  ) {
    (self.descriptor, self.path) = (descriptor, path)
    (self.isNew, self.isBorrowed) = (isNew, isBorrowed)
  }

  deinit {
    name?.remove()
  }

  /// Claims a name for a file to be written.
  ///
  /// A file of this name may exist, unless `replacesExisting` is false.
  ///
  /// If `isAtomic` is true, even a new file appears only when it is published.
  package static func claiming(
    _ path: String, replacesExisting: Bool, isAtomic: Bool = false
  ) throws(SoundFileError) -> PendingFile {
    if isAtomic, FilePath(path).status == nil {
      let file = try PendingFile(for: linkTarget(path) ?? path)
      try file.descriptor.lock(path)
      return file
    }
    if let new = try Descriptor.making(path) {
      try new.lock(path)
      return PendingFile(directly: new, path: path, isNew: true)
    }
    guard replacesExisting else { throw .alreadyExists(path: path) }
    guard let existing = try lockedFile(path) else {
      // The path is a dangling link, or the file was just removed. The target of the link, or
      // otherwise the path itself, is claimed.
      return try claiming(linkTarget(path) ?? path, replacesExisting: true)
    }
    guard existing.isRegularFile else { return PendingFile(directly: existing, path: path) }
    let file = try PendingFile(for: resolved(path))
    try file.descriptor.lock(path)
    file.descriptor.adoptRights(of: existing.status)
    file.existing = existing
    return file
  }

  /// Begins a file that replaces any file at a path, without locking it.
  ///
  /// A link is replaced instead of followed, because other users can create links with predictable
  /// names. If this user owns the replaced file, the new file adopts its permissions.
  package static func replacing(_ path: String) throws(SoundFileError) -> PendingFile {
    let file = try PendingFile(for: path)
    var old = stat()
    let exists = FilePath(path).withCString { lstat($0, &old) } == 0
    if exists, old.isRegularFile, old.st_uid == geteuid() {
      file.descriptor.adoptRights(of: old)
    }
    return file
  }

  /// Wraps a descriptor that the caller has opened.
  static func borrowing(_ descriptor: Descriptor, name: String) -> PendingFile {
    PendingFile(directly: descriptor, path: name, isBorrowed: true)
  }

  /// Gives the file its name and replaces the existing file; calling it again has no effect.
  ///
  /// The corresponding C functions are `linkat` and `rename`.
  ///
  /// - Parameter suffix: the text to add to the name.
  package func publish(addingToName suffix: String = "") throws(SoundFileError) {
    let path = path + suffix
    guard isPending else { return }
    isPending = false
    if name == nil {
      let (new, result) = Self.withRandomName(beside: path) {
        linkat(
          AT_FDCWD, "/proc/self/fd/\(descriptor.number)", AT_FDCWD, $0, AT_SYMLINK_FOLLOW)
      }
      guard result == 0 else { throw Self.error(path, code: errno) }
      name = new
    }
    let result = name?.withCString { old in FilePath(path).withCString { rename(old, $0) } }
    let code = errno
    if result != 0 { name?.remove() }
    name = nil
    guard result == 0 else { throw Self.error(path, code: code) }
    existing = nil
  }

  /// Removes the file if it was newly created under its final name; an existing file stays.
  package func discard() {
    guard isNew, descriptor.isFile(at: path) else { return }
    FilePath(path).remove()
  }

  /// Releases the name for other writers.
  func release() {
    guard !isBorrowed else { return }
    flock(descriptor.number, LOCK_UN)
    if let existing { flock(existing.number, LOCK_UN) }
  }

  /// Locks the file at a path, and checks that it was not replaced meanwhile; nil if no file
  /// exists.
  private static func lockedFile(_ path: String) throws(SoundFileError) -> Descriptor? {
    while true {
      guard let file = try Descriptor.writing(path) else { return nil }
      guard file.isRegularFile else { return file }
      try file.lock(path)
      if file.isFile(at: path) { return file }
    }
  }

  /// Removes the files of killed processes: those with a random name, of this user, without a lock.
  ///
  /// A file is created before it is locked, so young files are kept.
  private static func removeAbandoned(in folder: FilePath) {
    let isPrefixed = { (name: FilePath) in name.bytes.starts(with: namePrefix.utf8) }
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    // Without permission to list the folder, the files stay.
    for name in folder.names ?? [] where isPrefixed(name) {
      let file = folder.appending(name)
      guard let status = file.status, status.isRegularFile,
        status.st_uid == geteuid(),
        now.tv_sec - status.st_mtim.tv_sec > Self.youngestAbandoned,
        let other = try? Descriptor.writing(file.text), other.status.isSameFile(as: status),
        flock(other.number, LOCK_EX | LOCK_NB) == 0
      else { continue }
      file.remove()
    }
  }

  /// The age in seconds from which a file may count as abandoned.
  private static let youngestAbandoned = 60
  private static let namePrefix = ".syrinx-"

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
    guard code == EACCES || code == EPERM else { return .writing(path, code: code) }
    return .cannotWrite(
      path: path,
      reason: "you do not have permission to create files in its folder; "
        + "check with `ls -ld`, change it with `chmod`")
  }
}

/// Returns the path of the target of a link, or the path itself.
private func resolved(_ path: String) -> String {
  guard let real = FilePath(path).withCString({ realpath($0, nil) }) else { return path }
  // The caller owns the returned string.
  defer { free(real) }
  return FilePath(cString: real).text
}

/// Returns the target of a link, even if the target does not exist; nil if the path is not a link.
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

  /// Adopts owner, group, and permissions as far as this user may change them.
  fileprivate func adoptRights(of other: stat) {
    if fchown(number, other.st_uid, other.st_gid) != 0 { _ = fchown(number, .max, other.st_gid) }
    fchmod(number, other.st_mode & 0o777)
  }
}
