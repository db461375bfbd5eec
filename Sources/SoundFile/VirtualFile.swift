import CSndFile
import Glibc

/// Where the bytes of a virtual file are.
protocol VirtualStorage: AnyObject {
  var length: Int { get }
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int
}

/// What a library reads or writes in place of a descriptor: we see every byte, and what becomes of
/// it.
///
/// Left to itself, the MP3 encoder writes half a file without a word when the disk is full.
final class VirtualFile {
  private let storage: any VirtualStorage
  private(set) var position = 0

  init(_ storage: any VirtualStorage) {
    self.storage = storage
  }

  var length: Int { storage.length }

  /// - Returns: the new position; -1 where there is none, which changes nothing.
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
    let count = storage.read(into: bytes, at: position)
    position += count
    return count
  }

  fileprivate func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    let count = storage.write(bytes, at: position)
    position += count
    return count
  }

  /// The functions that libsndfile calls, on the thread that calls libsndfile.
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

/// The file behind the pointer that libsndfile was given with its functions.
private func virtualFile(_ data: UnsafeMutableRawPointer?) -> VirtualFile {
  // The handle's owner gave it, and keeps the file for longer than libsndfile has the pointer.
  Unmanaged<VirtualFile>.fromOpaque(data!).takeUnretainedValue()
}

extension Int {
  fileprivate var asCount: sf_count_t { sf_count_t(self) }
}
