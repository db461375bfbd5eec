import Foundation
import Testing

@testable import PocketSphinxEngine

@Suite struct MemoryFileTests {
  @Test func `a memory file can be read from its path more than once`() {
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0) }
    let copies = MemoryFile.with(bytes) { path in
      (0..<2).map { _ in path.flatMap(FileManager.default.contents).map(Array.init) }
    }
    #expect(copies == [bytes, bytes])
  }

  @Test func `no bytes make no file`() {
    #expect(MemoryFile.with([]) { $0 } == nil)
  }
}
