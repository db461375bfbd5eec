package import Glibc

extension stat {
  /// Whether both statuses describe the same file.
  package func isSameFile(as other: stat) -> Bool { identity == other.identity }

  /// The identity of a file, equal for all its names: the device and the inode.
  package var identity: [UInt64] { [UInt64(st_dev), UInt64(st_ino)] }

  /// Whether the status describes a folder.
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }

  /// Whether the status describes a regular file.
  package var isRegularFile: Bool { st_mode & S_IFMT == S_IFREG }
}

/// A failed system call on a file, with the error code of C.
package struct FilePathError: Error, Equatable {
  package let code: Int32

  package init(code: Int32) {
    self.code = code
  }

  /// The system's text for the error, with the error code.
  package var reason: String { "\(String(cString: strerror(code))) (errno \(code))" }

  /// The reason that a file cannot be read, with advice.
  package var readingReason: String {
    switch code {
    case ENOENT, ENOTDIR: "there is no such file; check the name and its folder"
    case EISDIR: "it is a folder; name a file in it"
    case EACCES, EPERM: "this user may not read it; change its permissions"
    case EMFILE, ENFILE: "\(reason); raise the limit on open files (ulimit -n)"
    case ENOMEM, EAGAIN: "\(reason); raise the limit on memory (ulimit -v)"
    default: reason
    }
  }

  /// Whether the error concerns the file itself, not the disk or a limit of the system.
  package var isOfFile: Bool { [ENOENT, ENOTDIR, EISDIR, EACCES, EPERM].contains(code) }
}

extension FilePath {
  /// Returns the user's home folder: the variable `HOME`, or the entry in the password database if
  /// the variable is unset or empty, as under cron and `env -i`.
  ///
  /// - Parameter variable: the value of `HOME`.
  package static func home(_ variable: String?) -> FilePath? {
    variable.flatMap { $0.isEmpty ? nil : FilePath($0) } ?? registeredHome
  }

  /// The user's home folder in the password database; nil if the user is not in it.
  ///
  /// The corresponding C function is `getpwuid_r`.
  package static var registeredHome: FilePath? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    // LDAP entries may be long. An entry that exceeds this buffer counts as missing.
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 65_536) { texts in
      // The entry's strings are in the buffer, so the path of the home folder is copied before the
      // buffer is released.
      guard let start = texts.baseAddress,
        getpwuid_r(getuid(), &entry, start, texts.count, &found) == 0,
        found != nil, let folder = entry.pw_dir
      else { return nil }
      let home = FilePath(cString: folder)
      return home.isAbsolute ? home : nil
    }
  }

  /// The folder for temporary files: `$TMPDIR`, or else `/tmp`.
  package static var temporaryFolder: FilePath {
    let named = getenv("TMPDIR").map { FilePath(cString: $0) } ?? ""
    return named.bytes.isEmpty ? "/tmp" : named
  }

  /// Whether both paths lead to the same existing file.
  package func isSameFile(as other: FilePath) -> Bool {
    guard let own = status, let other = other.status else { return false }
    return own.isSameFile(as: other)
  }

  /// An identity that is equal for all paths of a file, even if the file does not exist yet.
  ///
  /// A file that does not exist is identified by its folder and its name.
  package var identity: [UInt64] {
    // A link and its target are one file, so they have the same identity.
    if let status { return status.identity }
    guard let folder = folder.status else {
      // No links lead to a folder that does not exist, so its path identifies it.
      return absolute.bytes.map(UInt64.init)
    }
    return folder.identity + name.bytes.map(UInt64.init)
  }

  /// The file's status; nil if there is no file.
  ///
  /// The corresponding C function is `stat`.
  package var status: stat? {
    var status = stat()
    return withCString { stat($0, &status) } == 0 ? status : nil
  }

  /// The names in the folder, in no particular order; nil if the folder does not exist or this user
  /// cannot read it.
  package var names: [FilePath]? {
    guard let folder = withCString({ opendir($0) }) else { return nil }
    defer { closedir(folder) }
    var names: [FilePath] = []
    while let entry = readdir(folder) {
      // Swift imports the name, a C array, as a tuple, so its bytes are read from the entry.
      let name = UnsafeRawPointer(entry) + (MemoryLayout<dirent>.offset(of: \.d_name) ?? 0)
      names.append(FilePath(cString: name.assumingMemoryBound(to: CChar.self)))
    }
    return names.filter { $0 != "." && $0 != ".." }
  }

  /// Returns the contents of a file or a pipe.
  ///
  /// It blocks until the end of the file, or until more than `limit` bytes are read.
  package func contents(atMost limit: Int = .max) throws(FilePathError) -> [UInt8] {
    let file = withCString { open($0, O_RDONLY | O_CLOEXEC) }
    guard file >= 0 else { throw FilePathError(code: errno) }
    defer { close(file) }
    return try Self.contents(of: file, atMost: limit)
  }

  /// Returns the contents of an open file, which is read as in `contents(atMost:)`.
  package static func contents(
    of descriptor: Int32, atMost limit: Int = .max
  ) throws(FilePathError) -> [UInt8] {
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while bytes.count <= limit {
      let count = read(descriptor, &part, part.count)
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw FilePathError(code: errno) }
      if count == 0 { break }
      bytes += part[..<count]
    }
    return bytes
  }

  /// Removes the file if possible; the corresponding C function is `unlink`.
  package func remove() {
    _ = withCString { unlink($0) }
  }

  /// Renames the file and replaces any file of the new name; the corresponding C function is
  /// `rename`.
  package func move(to other: FilePath) throws(FilePathError) {
    let result = withCString { old in other.withCString { rename(old, $0) } }
    guard result == 0 else { throw FilePathError(code: errno) }
  }

  /// Creates the folder and its missing parents.
  package func makeFolder() throws(FilePathError) {
    if withCString({ mkdir($0, 0o777) }) == 0 { return }
    let code = errno
    switch code {
    case EEXIST where status?.isFolder == true: return
    case ENOENT where folder != self:
      try folder.makeFolder()
      if withCString({ mkdir($0, 0o777) }) != 0, errno != EEXIST {
        throw FilePathError(code: errno)
      }
    default: throw FilePathError(code: code)
    }
  }
}
