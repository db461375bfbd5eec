import Testing

@testable import ClientDependencies

@Suite struct TurnsTests {
  private let turns = Turns()

  @Test func `one task at a time has the turn`() async {
    let state = LockIsolated((holders: 0, most: 0))
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<100 {
        group.addTask { [turns] in
          #expect(await turns.take())
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

  @Test func `who is cancelled while it waits gets no turn`() async {
    #expect(await turns.take())
    let waiting = Task { [turns] in await turns.take() }
    waiting.cancel()
    #expect(await waiting.value == false)
    turns.pass()
    #expect(await turns.take())
  }

  @Test func `a free turn is taken also by a cancelled task`() async {
    let task = Task { [turns] in
      withUnsafeCurrentTask { $0?.cancel() }
      return await turns.take()
    }
    #expect(await task.value)
  }
}
