import Synchronization
import Testing

/// Runs at most two suites with this trait at a time.
///
/// Each step of a test clock inspects every thread of the process, and each player has four. With
/// all suites in parallel, 150 players are open, and on a busy machine a test takes longer than a
/// minute although nothing hangs.
struct LimitedParallelism: SuiteTrait, TestScoping {
  private static let turns = Turns(2)

  func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
  ) async throws {
    await Self.turns.acquire()
    defer { Self.turns.giveBack() }
    try await function()
  }
}

extension Trait where Self == LimitedParallelism {
  /// Runs at most two suites with this trait at a time.
  static var fewAtATime: LimitedParallelism { LimitedParallelism() }
}

/// A semaphore for tasks.
private final class Turns: Sendable {
  private struct State {
    var free: Int
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  // The lock is held for a few instructions; a waiting task is resumed after its release.
  private let state: Mutex<State>

  init(_ count: Int) {
    state = Mutex(State(free: count))
  }

  func acquire() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func giveBack() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
      state.free += 1
      return nil
    }
    next?.resume()
  }
}
