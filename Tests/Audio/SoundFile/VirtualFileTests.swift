import AudioThreads
import Foundation
import Glibc
import TestTools
import Testing

@testable import SoundFile

@Suite struct VirtualFileTests {
  @Test func `an invalid seek is rejected, and reading past the end returns nothing`()
    throws
  {
    let folder = try TestFolder()
    let url = try folder.file("a", .init([1, 2, 3, 4]))
    let part = FilePart(try Descriptor.reading(url.path), path: "a", offset: 1, length: 3)
    let file = VirtualFile(part)
    #expect(file.seek(2, from: SEEK_SET) == 2)
    #expect(file.seek(.max, from: SEEK_CUR) == -1)
    #expect(file.seek(.max, from: SEEK_END) == -1)
    #expect(file.seek(-1, from: SEEK_SET) == -1)
    #expect(file.seek(0, from: SEEK_CUR) == 2)
    #expect(file.seek(.max, from: SEEK_SET) == .max)
    withUnsafeTemporaryAllocation(byteCount: 8, alignment: 1) { #expect(file.read(into: $0) == 0) }
    #expect(part.bytes(at: .min, count: 8) == [])
    #expect(part.bytes(at: 1, count: 8) == [3, 4])
  }

  @Test func `reads within, across, and after the cached beginning return the file's bytes`()
    throws
  {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 * $0 / 7) }
    let folder = try TestFolder()
    let url = try folder.file("a", .init(bytes))
    let part = FilePart(try Descriptor.reading(url.path), path: "a", offset: 3, length: 20_000)
    let file = VirtualFile(part)
    for (offset, count) in [
      (0, 4), (10, 4_086), (4_000, 96), (4_095, 2), (4_000, 5_000), (9_990, 20),
    ] {
      let expected = Array(bytes[(3 + offset)...].prefix(count))
      #expect(part.bytes(at: offset, count: count) == expected)
      #expect(file.seek(offset, from: SEEK_SET) == offset)
      var read = [UInt8](repeating: 0, count: count)
      let length = read.withUnsafeMutableBytes { file.read(into: $0) }
      #expect(Array(read.prefix(length)) == expected)
    }
  }

  @Test func `after a failed read, readAvailable returns more bytes, but read keeps failing`() {
    let file = VirtualFile(StorageFailingOnce())
    withUnsafeTemporaryAllocation(byteCount: 4, alignment: 1) { bytes in
      #expect(file.readAvailable(into: bytes) == 0)
      #expect(file.failure != nil && file.position == 0)
      #expect(file.readAvailable(into: bytes) == 4)
      #expect(file.read(into: bytes) == -1)
    }
  }
}

/// Storage of eight bytes whose first read fails.
private final class StorageFailingOnce: VirtualStorage {
  let length = 8
  private(set) var readFailure: SoundFileError?

  func read(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    guard readFailure != nil else {
      readFailure = .reading("a", code: EIO)
      return 0
    }
    return min(bytes.count, length - offset)
  }

  func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int { 0 }
}
