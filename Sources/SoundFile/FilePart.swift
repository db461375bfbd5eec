import Glibc

/// Some of the bytes of a regular file, as decoders read them.
final class FilePart {
  let descriptor: Descriptor
  /// Where they begin.
  let offset: Int
  /// How many there are, or were to be: behind the end of the file nothing comes.
  let length: Int
  /// The code of the first read that failed, 0 before.
  private(set) var failureCode: Int32 = 0

  init(_ descriptor: Descriptor, offset: Int = 0, length: Int) {
    (self.descriptor, self.offset, self.length) = (descriptor, offset, length)
  }

  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let count = room(at: offset, for: count)
    return count > 0 ? descriptor.bytes(at: self.offset + offset, count: count) : []
  }

  /// How many of `count` bytes there are at a place, which may be anywhere.
  private func room(at offset: Int, for count: Int) -> Int {
    (0..<max(0, length)).contains(offset) ? min(count, length - offset) : 0
  }
}

extension FilePart: VirtualStorage {
  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = room(at: offset, for: bytes.count)
    guard count > 0 else { return 0 }
    let result = pread(descriptor.number, bytes.baseAddress, count, self.offset + offset)
    if result < 0, failureCode == 0 { failureCode = errno }
    return max(0, result)
  }

  /// It is only read.
  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
