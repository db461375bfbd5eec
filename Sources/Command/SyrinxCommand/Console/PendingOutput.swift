import AudioThreads
import FilePaths
import Glibc
import SoundFile

/// A file that gets its name only when it is complete; a separate thread writes it.
///
/// An incomplete file disappears. A complete file has the permissions of the file that it replaces.
actor PendingOutput {
  private enum State {
    /// A file that has no name yet.
    case file(PendingFile)
    /// A named pipe or a device, which the first write opens.
    case closedStream
    /// A named pipe or a device, which is written directly.
    case stream(Descriptor)
    /// The output was completed or discarded.
    case ended
  }

  private let executor: ThreadExecutor
  private let path: String
  private var state: State

  /// Creates an unnamed file in the folder of the file that it will replace.
  ///
  /// `followsLinks` is true for a name that the user chose: the target of a link is replaced, and a
  /// named pipe or a device is written directly. It is false for a predictable name: a link or pipe
  /// that another user created under this name is replaced.
  ///
  /// If `growsInPlace` is true, a new file of a name that the user chose has its name from the
  /// start, so that it can be read while it is written.
  ///
  /// - Throws: `SoundFileError`; `SystemError` if the system cannot start a thread.
  init(path: String, followsLinks: Bool = false, growsInPlace: Bool = false) throws {
    executor = try ThreadExecutor(name: "syrinx-text")
    self.path = path
    if !followsLinks {
      state = .file(try .replacing(path))
    } else if FilePath(path).status?.isStream == true {
      state = .closedStream
    } else {
      state = .file(try .claiming(path, replacesExisting: true, isAtomic: !growsInPlace))
    }
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

  /// Writes a line and a newline.
  func print(_ line: String) throws(OutputError) {
    try write(Array((line + "\n").utf8))
  }

  /// Writes bytes without adding a newline.
  func write(_ bytes: [UInt8]) throws(OutputError) {
    try OutputDescriptor(rawValue: try descriptor().number, name: path).write(bytes)
  }

  private func descriptor() throws(OutputError) -> Descriptor {
    switch state {
    case .file(let file): return file.descriptor
    case .stream(let stream): return stream
    case .closedStream:
      // Opening a named pipe waits for its reader. The pipe is not opened with O_RDWR, because
      // writes would then still succeed after the reader is gone.
      let number = FilePath(path).withCString { open($0, O_WRONLY | O_CLOEXEC | O_NOCTTY) }
      guard number >= 0 else { throw OutputError(name: path, code: errno) }
      let stream = Descriptor(owning: number)
      state = .stream(stream)
      return stream
    case .ended: throw OutputError(name: path, code: EBADF)
    }
  }

  /// Removes the file unless it is complete; an existing file of this name stays.
  func discard() {
    if case .file(let file) = state { file.discard() }
    state = .ended
  }

  /// Syncs the file to the disk and gives it its name; after a failure, the file disappears.
  ///
  /// - Parameter suffix: the text to add to the name; a file of the name without it stays.
  /// - Returns: the file's path; nil for a named pipe or a device.
  @discardableResult
  func complete(addingToName suffix: String = "") throws(SoundFileError) -> String? {
    let last = state
    state = .ended
    guard case .file(let file) = last else { return nil }
    try file.descriptor.synchronize(path: path)
    try file.publish(addingToName: suffix)
    return file.path + suffix
  }
}

extension stat {
  /// Whether the status describes neither a regular file nor a folder.
  fileprivate var isStream: Bool { !isRegularFile && !isFolder }
}
