import Testing

@testable import ClientDependencies

@Suite struct LockTests {
  @Test func `concurrent changes happen one after another`() async {
    let lock = Lock(0)
    await withTaskGroup { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<1_000 { lock.withLock { $0 += 1 } }
        }
      }
    }
    #expect(lock.withLock { $0 } == 8_000)
  }

  @Test func `if a closure throws, the lock is released and the closure's changes are kept`() {
    struct Refusal: Error {}
    let lock = Lock([1])
    #expect(throws: Refusal.self) {
      try lock.withLock { state in
        state.append(2)
        throw Refusal()
      }
    }
    #expect(lock.withLock { $0 } == [1, 2])
  }

  @Test func `the state is released with its lock`() {
    final class Held: Sendable {}
    weak var held: Held?
    do {
      let lock = Lock(Held())
      held = lock.withLock { $0 }
      #expect(held != nil)
    }
    #expect(held == nil)
  }
}
