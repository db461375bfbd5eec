import AudioCore
import AudioThreads
import Synchronization
import Testing

@testable import ALSASoundCard

@Suite struct ALSADeviceOpeningTests {
  @Test func `devices are opened one at a time`() async throws {
    let turns = Turns()
    let inside = ConcurrencyCounter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await onThread("test", for: "x") {
            for _ in 0..<100 {
              try? turns.last.runInTurn(waitingAtMost: .seconds(60)) { inside.visit() }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(inside.most == 1)
  }

  /// A class, because tasks cannot capture a `Mutex`.
  private final class Turns: Sendable {
    // The lock is held only to exchange a reference.
    let last = Mutex<WakeUp?>(nil)
  }

  /// Records the current and the largest number of concurrent calls.
  private final class ConcurrencyCounter: Sendable {
    // The lock is held while the count changes, never during a whole call.
    private let count = Mutex((now: 0, most: 0))

    var most: Int { count.withLock { $0.most } }

    func visit() {
      count.withLock { count in
        count.now += 1
        count.most = max(count.most, count.now)
      }
      count.withLock { $0.now -= 1 }
    }
  }

  @Test func `an opening that hangs delays only the next opening, and only up to the limit`()
    async throws
  {
    let turns = Turns()
    let limit = Duration.milliseconds(1)
    let hasBegun = try WakeUp()
    let mayEnd = try WakeUp()
    let hanging = Task {
      try await onThread("test", for: "x") {
        _ = try? turns.last.runInTurn(waitingAtMost: limit) {
          hasBegun.signal()
          mayEnd.wait()
        }
      }
    }
    try await onThread("test", for: "x") { _ = hasBegun.wait() }
    for _ in 0..<3 {
      let value = try await onThread("test", for: "x") {
        try? turns.last.runInTurn(waitingAtMost: limit) { 7 }
      }
      #expect(value == 7)
    }
    mayEnd.signal()
    try await hanging.value
  }
}
