import CSndFile
import Glibc

/// The storage of a virtual file's bytes.
protocol VirtualStorage: AnyObject {
  var length: Int { get }
  /// Whether bytes can be read at any offset; otherwise they are read in order.
  var isSeekable: Bool { get }
  /// The error of the first failed read.
  var readFailure: SoundFileError? { get }

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int
}

extension VirtualStorage {
  var isSeekable: Bool { true }
  var readFailure: SoundFileError? { nil }

  /// Returns no bytes, because most storages are only written.
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { 0 }
}

/// A file or a stream that a library accesses through our functions instead of a descriptor.
///
/// Our functions detect every failure. Without them, the MP3 encoder would silently write half a
/// file if the disk is full.
final class VirtualFile {
  private let storage: any VirtualStorage
  /// The number of bytes in the storage before the virtual file.
  private let start: Int
  private(set) var position = 0

  init(_ storage: any VirtualStorage, from start: Int = 0) {
    (self.storage, self.start) = (storage, start)
  }

  /// The length of a file, or the number of bytes read from a stream.
  var length: Int { storage.length - start }

  var isSeekable: Bool { storage.isSeekable }

  /// Whether a file is at its end; false for a stream.
  var isAtEnd: Bool { isSeekable && position >= length }

  /// The error of the first failed read.
  var failure: SoundFileError? { storage.readFailure }

  /// - Returns: the new position; or -1 if it would be invalid, and the position is then unchanged.
  func seek(_ offset: Int, from origin: Int32) -> Int {
    guard isSeekable else { return -1 }
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

  /// Seeks to a position; returns false if it is invalid.
  func seek(to offset: Int) -> Bool { seek(offset, from: SEEK_SET) == offset }

  /// Reads some bytes, after waiting for them if the source is a stream.
  ///
  /// - Returns: the number of bytes; 0 at the end, and -1 after a failure.
  func read(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = readAvailable(into: bytes)
    return failure == nil ? count : -1
  }

  /// Reads the available bytes, even after a failure, which `failure` reports.
  func readAvailable(into bytes: UnsafeMutableRawBufferPointer) -> Int {
    let count = storage.read(into: bytes, at: start + position)
    position += count
    return count
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = storage.write(bytes, at: start + position)
    position += count
    return count
  }

  /// The functions that libsndfile calls on the thread that uses the handle.
  static var functions: SF_VIRTUAL_IO {
    SF_VIRTUAL_IO(
      get_filelen: { virtualFile($0).length.asCount },
      seek: { offset, origin, data in virtualFile(data).seek(Int(offset), from: origin).asCount },
      read: { bytes, count, data in
        let room = UnsafeMutableRawBufferPointer(start: bytes, count: Int(count))
        return virtualFile(data).readAvailable(into: room).asCount
      },
      write: { bytes, count, data in
        virtualFile(data).write(UnsafeRawBufferPointer(start: bytes, count: Int(count))).asCount
      },
      tell: { virtualFile($0).position.asCount })
  }
}

/// Returns the file behind the pointer that was passed to a library.
func virtualFile(_ data: UnsafeMutableRawPointer?) -> VirtualFile {
  // The pointer is never nil: the handle's owner passed it, and frees it after the library's last
  // use.
  data!.assumingMemoryBound(to: VirtualFile.self).pointee
}

extension Int {
  fileprivate var asCount: sf_count_t { sf_count_t(self) }
}
