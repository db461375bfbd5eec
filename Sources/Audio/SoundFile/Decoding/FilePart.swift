import AudioThreads
import Glibc

/// A range of a regular file for decoders.
///
/// If `header` is not nil, it replaces the first bytes.
final class FilePart {
  let descriptor: Descriptor
  /// The name of the file in error messages.
  let path: String
  /// The offset of the part.
  let offset: Int
  /// The length of the part, which may extend beyond the end of the file.
  let length: Int
  private(set) var readFailure: SoundFileError?

  /// The bytes that replace the first `replaced` bytes; nil to use the file's own beginning.
  private let header: [UInt8]?
  private let replaced: Int
  /// The beginning of the part, cached because parsers read it in many small pieces.
  private lazy var head =
    header ?? descriptor.bytes(at: offset, count: room(at: 0, for: 4_096))

  /// Creates a part of `length` bytes, including those of `header`.
  init(
    _ descriptor: Descriptor, path: String, offset: Int = 0, length: Int, header: [UInt8]? = nil,
    replacing replaced: Int = 0
  ) {
    (self.descriptor, self.path, self.offset, self.length) = (descriptor, path, offset, length)
    (self.header, self.replaced) = (header, header == nil ? 0 : replaced)
  }

  /// Returns the same part with another length.
  func with(length: Int) -> FilePart {
    FilePart(
      descriptor, path: path, offset: offset, length: length, header: header, replacing: replaced)
  }

  /// Returns the same part, with `header` instead of its first `replaced` bytes, and without
  /// `padding` bytes at its end.
  func with(header: [UInt8], replacing replaced: Int, padding: Int) -> FilePart {
    FilePart(
      descriptor, path: path, offset: offset, length: length - padding - replaced + header.count,
      header: header, replacing: replaced)
  }

  /// Returns a range of this part, with the file's own bytes instead of `header`.
  func part(from start: Int, length: Int) -> FilePart {
    FilePart(descriptor, path: path, offset: offset + start, length: length)
  }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let count = room(at: offset, for: count)
    guard count > 0 else { return [] }
    if offset + count <= head.count { return Array(head[offset..<offset + count]) }
    guard let header, offset < header.count else {
      return descriptor.bytes(at: place(of: offset), count: count)
    }
    let rest = descriptor.bytes(at: place(of: header.count), count: offset + count - header.count)
    return header[offset...] + rest
  }

  /// Converts an offset in the part to an offset in the file.
  private func place(of offset: Int) -> Int {
    self.offset + offset - (header?.count ?? 0) + replaced
  }

  /// Returns the number of readable bytes, up to `count`, at any offset.
  private func room(at offset: Int, for count: Int) -> Int {
    (0..<max(0, length)).contains(offset) ? min(count, length - offset) : 0
  }
}

extension FilePart: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = room(at: offset, for: bytes.count)
    guard count > 0 else { return 0 }
    if offset + count <= head.count {
      bytes.copyBytes(from: head[offset..<offset + count])
      return count
    }
    guard let header, offset < header.count else {
      return read(into: bytes.baseAddress, count: count, at: offset)
    }
    let known = header.count - offset
    bytes.copyBytes(from: header[offset...])
    let rest = read(
      into: bytes.baseAddress.map { $0 + known }, count: count - known, at: header.count)
    return known + rest
  }

  private func read(into target: UnsafeMutableRawPointer?, count: Int, at offset: Int) -> Int {
    let result = pread(descriptor.number, target, count, place(of: offset))
    if result < 0, readFailure == nil { readFailure = .reading(path, code: errno) }
    return max(0, result)
  }

  /// The part is read-only.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
