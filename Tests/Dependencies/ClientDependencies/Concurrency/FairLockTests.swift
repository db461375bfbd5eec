import Testing

@testable import ClientDependencies

@Suite struct FairLockTests {
  private let turns = FairLock()

  @Test func `one task at a time holds the lock`() async {
    let state = LockIsolated((holders: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { [turns] in
          #expect(await turns.acquire())
          state.withValue { $0 = ($0.holders + 1, max($0.most, $0.holders + 1)) }
          await Task.yield()
          state.withValue { $0.holders -= 1 }
          turns.pass()
        }
      }
    }
    #expect(state.most == 1)
    #expect(state.holders == 0)
  }

  @Test func `a task that is canceled while waiting does not get the lock`() async {
    #expect(await turns.acquire())
    let waiting = Task { [turns] in await turns.acquire() }
    waiting.cancel()
    #expect(await waiting.value == false)
    turns.pass()
    #expect(await turns.acquire())
  }

  @Test func `a canceled task can acquire a free lock`() async {
    let task = Task { [turns] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await turns.acquire()
    }
    #expect(await task.value)
  }
}
