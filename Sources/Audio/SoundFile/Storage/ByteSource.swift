import CSndFile
import Glibc

/// A file or a stream that decoders read through our functions.
final class ByteSource {
  let isSeekable: Bool
  private(set) var failure: SoundFileError?
  private let bytes: Bytes
  private var taken = 0

  private enum Bytes {
    case file(VirtualFile, FilePart, path: String)
    case stream(StreamHead)
  }

  init(_ part: FilePart, path: String) {
    isSeekable = true
    bytes = .file(VirtualFile(part), part, path: path)
  }

  init(_ head: StreamHead) {
    isSeekable = false
    bytes = .stream(head)
  }

  /// The position of the next byte.
  var position: Int {
    guard case .file(let file, _, _) = bytes else { return taken }
    return file.position
  }

  /// The length of a file, or the number of bytes received from a stream.
  var length: Int {
    guard case .file(let file, _, _) = bytes else { return taken }
    return file.length
  }

  /// Whether a file is at its end.
  var isAtEnd: Bool { isSeekable && position >= length }

  /// Waits for bytes and reads some; returns 0 at the end and -1 after a failure.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    switch bytes {
    case .file(let file, let part, let path):
      let count = file.read(into: target)
      guard part.failureCode != 0 else { return count }
      failure = SystemErrors.reading(path, code: part.failureCode)
      return -1
    case .stream(let head):
      do throws(SoundFileError) {
        let count = try head.read(into: target)
        taken += count
        return count
      } catch {
        failure = error
        return -1
      }
    }
  }

  /// - Returns: the new position, or -1 if it is invalid.
  func seek(_ offset: Int, from origin: Int32) -> Int {
    guard case .file(let file, _, _) = bytes else { return -1 }
    return file.seek(offset, from: origin)
  }

  /// Seeks to a position; returns false if it is invalid.
  func seek(to offset: Int) -> Bool { seek(offset, from: SEEK_SET) == offset }
}

/// The storage of a virtual file's bytes.
protocol VirtualStorage: AnyObject {
  var length: Int { get }
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int
}

extension VirtualStorage {
  /// Returns no bytes, because most storages are only written.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { 0 }
}

/// A file that a library accesses through our functions instead of a descriptor.
///
/// We see every byte and every failure. On its own, the MP3 encoder silently writes half a file if
/// the disk is full.
final class VirtualFile {
  private let storage: any VirtualStorage
  /// The number of bytes in the storage before the virtual file.
  private let start: Int
  private(set) var position = 0

  init(_ storage: any VirtualStorage, from start: Int = 0) {
    (self.storage, self.start) = (storage, start)
  }

  var length: Int { storage.length - start }

  /// - Returns: the new position, or -1 without a change if it is invalid.
  func seek(_ offset: Int, from origin: Int32) -> Int {
    let start =
      switch origin {
      case SEEK_SET: 0
      case SEEK_CUR: position
      default: length
      }
    let target = start.addingReportingOverflow(offset)
    guard !target.overflow, target.partialValue >= 0 else { return -1 }
    position = target.partialValue
    return position
  }

  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = storage.read(into: bytes, at: start + position)
    position += count
    return count
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = storage.write(bytes, at: start + position)
    position += count
    return count
  }

  /// The functions that libsndfile calls, on the calling thread.
  static var functions: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { virtualFile($0).length.asCount },
      seek: { offset, origin, data in virtualFile(data).seek(Int(offset), from: origin).asCount },
      read: { bytes, count, data in
        let room = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        return virtualFile(data).read(into: room).asCount
      },
      write: { bytes, count, data in
        virtualFile(data).write(UnsafeRawBufferPointer(start: bytes, count: Int(count))).asCount
      },
      tell: { virtualFile($0).position.asCount })
  }
}

/// The file behind the pointer that was passed to libsndfile.
private func virtualFile(_ data: UnsafeMutableRawPointer?) -> VirtualFile {
  // The handle's owner passed the pointer, and retains the file for longer than libsndfile uses it.
  Unmanaged<VirtualFile>.fromOpaque(data!).takeUnretainedValue()
}

extension Int {
  fileprivate var asCount: sf_count_t { sf_count_t(self) }
}
