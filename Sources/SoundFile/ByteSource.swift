import CSndFile
import Glibc

/// A file or a stream, as decoders read it by functions of ours.
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

  /// The place of the byte that is read next.
  var position: Int {
    guard case .file(let file, _, _) = bytes else { return taken }
    return file.position
  }

  /// The bytes of a file; of a stream, those that have come.
  var length: Int {
    guard case .file(let file, _, _) = bytes else { return taken }
    return file.length
  }

  /// Whether nothing follows in a file.
  var isAtEnd: Bool { isSeekable && position >= length }

  /// Reads some bytes, which are waited for; 0 at the end, -1 where it has failed.
  func read(into target: UnsafeMutableRawBufferPointer) -> Int {
    switch bytes {
    case .file(let file, let part, let path):
      let count = file.read(into: target)
      guard part.failureCode != 0 else { return count }
      failure = SystemErrors.reading(path, code: part.failureCode)
      return -1
    case .stream(let head):
      do throws(SoundFileError) {
        let count = try head.take(into: target)
        taken += count
        return count
      } catch {
        failure = error
        return -1
      }
    }
  }

  /// - Returns: the new position; -1 where there is none.
  func seek(_ offset: Int, from origin: Int32) -> Int {
    guard case .file(let file, _, _) = bytes else { return -1 }
    return file.seek(offset, from: origin)
  }

  /// Goes to a place; false where there is none.
  func seek(to offset: Int) -> Bool { seek(offset, from: SEEK_SET) == offset }
}

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
