import Foundation
import Testing

/// Deliberate faults for the sanitizers.
///
/// The run of a sanitizer begins with its fault, and fails unless the fault is reported.
@Suite struct SeededFaultsTests {
  @Test func `thread: two threads increment a counter without a lock`() async {
    // `nonisolated(unsafe)` is wrong here, so that the sanitizer finds a data race.
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

  @Test func `address: memory is read after it is freed`() {
    let memory = UnsafeMutablePointer<Int>.allocate(capacity: 1)
    memory.initialize(to: 1)
    memory.deallocate()
    #expect(memory.pointee != 2)
  }
}
