import AudioCore
import AudioThreads
import Synchronization
import Testing

@testable import ALSASoundCard

@Suite struct OpeningTurnsTests {
  @Test func `one opens at a time`() async throws {
    let turns = OpeningTurns(limit: .seconds(60))
    let inside = Inside()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await onThread("test", for: "x") {
            for _ in 0..<100 { try? turns.take { inside.visit() } }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(inside.most == 1)
  }

  /// How many are inside at once, at most.
  private final class Inside: Sendable {
    // Held for a step of the count, never while a turn lasts.
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

  @Test func `a turn that does not end holds up the next one for the limit, and no other`()
    async throws
  {
    let turns = OpeningTurns(limit: .milliseconds(1))
    let hasBegun = try WakeUp()
    let mayEnd = try WakeUp()
    let hanging = Task {
      try await onThread("test", for: "x") {
        _ = try? turns.take {
          hasBegun.signal()
          mayEnd.wait()
        }
      }
    }
    try await onThread("test", for: "x") { _ = hasBegun.wait() }
    for _ in 0..<3 {
      let value = try await onThread("test", for: "x") { try? turns.take { 7 } }
      #expect(value == 7)
    }
    mayEnd.signal()
    try await hanging.value
  }
}
