import FilePaths
import Glibc
import ONNXRuntime

/// The installation folder, locked while one command changes it.
///
/// Unfinished components are in a work folder inside it, on the same disk. If a command is killed,
/// the next command removes its work folder.
struct EngineFolder: ~Copyable {
  let path: FilePath
  /// The folder inside `path` for components that are not complete yet.
  let work: FilePath
  private let descriptor: Int32

  private static let workPrefix = Array(".installing-".utf8)

  /// Creates the folder if necessary and locks it.
  init(_ path: FilePath) throws(CommandFailure) {
    let descriptor = try Self.lock(path)
    for name in path.names ?? [] where name.bytes.starts(with: Self.workPrefix) {
      path.appending(name).removeTree()
    }
    let template = path.appending(FilePath(bytes: Self.workPrefix + Array("XXXXXX".utf8)))
    var work = template.bytes.map(CChar.init(bitPattern:)) + [0]
    guard mkdtemp(&work) != nil else {
      let reason = FilePathError(code: errno).reason
      close(descriptor)
      throw Self.failure("cannot write to \(path): \(reason)")
    }
    (self.path, self.work, self.descriptor) = (path, FilePath(cString: work), descriptor)
  }

  /// Returns a descriptor that holds the lock.
  ///
  /// The lock is released when the process ends for any reason.
  private static func lock(_ path: FilePath) throws(CommandFailure) -> Int32 {
    do throws(FilePathError) { try path.makeFolder() } catch {
      throw failure("cannot create \(path): \(error.reason)")
    }
    let descriptor = path.withCString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
    guard descriptor >= 0 else {
      throw failure("cannot open \(path): \(FilePathError(code: errno).reason)")
    }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      throw CommandFailure(
        "another `syrinx engines` command is changing \(path); try again when it finishes")
    }
    return descriptor
  }

  deinit {
    work.removeTree()
    // Releases the lock explicitly, because a child process that is starting may have inherited the
    // descriptor.
    flock(descriptor, LOCK_UN)
    close(descriptor)
  }

  /// Returns the components in a folder, including damaged ones.
  static func components(in path: FilePath) -> [InstalledFolder] {
    (path.names ?? []).map(\.text).sorted().compactMap { name in
      guard let folder = try? InstalledFolder(path.appending(FilePath(name))) else { return nil }
      return folder.manifest?.component == name ? folder : nil
    }
  }

  /// Creates a folder in the work folder, with hard links to `files` of an installed component.
  func stage(_ name: FilePath, files: [String]) throws(FilePathError) -> FilePath {
    let (component, staged) = (path.appending(name), work.appending(name))
    try staged.makeFolder()
    for file in files.map({ FilePath($0) }) {
      let result = component.appending(file).withCString { old in
        staged.appending(file).withCString { link(old, $0) }
      }
      guard result == 0 else { throw FilePathError(code: errno) }
    }
    return staged
  }

  /// Moves a component from the work folder to its final path, or swaps it with the installed
  /// version, so that an installed component is never missing.
  ///
  /// `files` contains the file names by which an installed component without a manifest is
  /// recognized.
  func publish(_ name: FilePath, files: Set<String> = []) throws(CommandFailure) {
    let (new, target) = (work.appending(name), path.appending(name))
    let names = target.names?.map(\.text)
    // A folder without a manifest is replaced only if it contains no files except `files`, because
    // any other file may be the user's.
    if let names, !names.contains(InstalledFolder.manifestName), !files.isSuperset(of: names) {
      throw CommandFailure(
        """
        \(target) has no \(InstalledFolder.manifestName), so it was not installed by this \
        command; move it away first
        """)
    }
    do throws(FilePathError) {
      if names == nil { try new.move(to: target) } else { try new.exchange(with: target) }
    } catch {
      throw Self.failure("cannot move \(name) to \(path): \(error.reason)")
    }
    fsync(descriptor)
    new.removeTree()
  }

  /// Removes a component.
  func remove(_ name: FilePath) throws(CommandFailure) {
    let target = path.appending(name)
    do throws(FilePathError) { try target.move(to: work.appending(name)) } catch {
      throw Self.failure("cannot remove \(target): \(error.reason)")
    }
    fsync(descriptor)
  }

  private static func failure(_ text: String) -> CommandFailure {
    CommandFailure("\(text). Choose a writable folder with --to")
  }
}

extension FilePath {
  private typealias RenameAt2 =
    @convention(c) (
      Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
    ) -> Int32

  /// Swaps two folders on one disk; the corresponding C function is `renameat2`.
  fileprivate func exchange(with other: FilePath) throws(FilePathError) {
    // Swift's Glibc module has neither this GNU extension nor the flag RENAME_EXCHANGE, 2. The cast
    // is safe because dlsym returns the address of a C function of this type.
    let rename = dlsym(dlopen(nil, RTLD_LAZY), "renameat2").map {
      unsafeBitCast($0, to: RenameAt2.self)
    }
    if let rename {
      let result = withCString { new in
        other.withCString { rename(AT_FDCWD, new, AT_FDCWD, $0, 2) }
      }
      if result == 0 { return }
      guard [EINVAL, ENOSYS].contains(errno) else { throw FilePathError(code: errno) }
    }
    // On file systems that cannot swap folders, such as NFS, `other` is missing for a moment.
    let old = FilePath(bytes: bytes + Array(".old".utf8))
    try other.move(to: old)
    do throws(FilePathError) { try move(to: other) } catch {
      try? old.move(to: other)
      throw error
    }
    try old.move(to: self)
  }

  /// Removes the file, or the folder and its contents, as far as possible.
  fileprivate func removeTree() {
    if withCString({ unlink($0) }) == 0 { return }
    for name in names ?? [] { appending(name).removeTree() }
    _ = withCString { rmdir($0) }
  }
}
