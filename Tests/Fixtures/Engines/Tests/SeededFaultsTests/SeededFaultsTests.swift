import Foundation
import Testing

/// Deliberate faults for the sanitizers.
///
/// Each run of a sanitizer begins with that sanitizer's fault, and fails if no report appears.
@Suite struct SeededFaultsTests {
  @Test func `thread: the sanitizer reports a data race on a counter`() async {
    // `nonisolated(unsafe)` is wrong on purpose, so that the sanitizer finds a data race.
    nonisolated(unsafe) var count = 0
    await withTaskGroup { group in
      for _ in 0..<2 {
        group.addTask {
          await withCheckedContinuation { continuation in
            Thread.detachNewThread {
              for _ in 0..<1_000 { count += 1 }
              continuation.resume()
            }
          }
        }
      }
    }
    #expect(count > 0)
  }

  @Test func `address: the sanitizer reports a read of freed memory`() {
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    memory.initialize(to: 1)
    memory.deallocate()
    #expect(memory.pointee != 2)
  }
}
