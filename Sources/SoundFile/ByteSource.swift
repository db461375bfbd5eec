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
