import ClientDependencies
import Reducers
import Testing

/// A feature whose count is shared, and that also changes a value outside its state.
private struct SharedCounter: Reducer {
  struct State: Equatable {
    var clicks = 0
    @Shared var count: Int
  }

  enum Action: Equatable, Sendable {
    case increment
    case incrementLater
    case incrementInEffect
    case incrementTwice
    case log
  }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .increment:
      state.clicks += 1
      state.$count.withLock { $0 += 1 }
      return .none
    case .incrementLater:
      return .send(.increment)
    case .incrementInEffect:
      return .run { [count = state.$count] _ in count.withLock { $0 += 1 } }
    case .incrementTwice:
      return .merge(.send(.increment), .send(.increment))
    case .log:
      @Shared(.inMemory("log")) var log: [String] = []
      $log.withLock { $0.append("logged") }
      return .none
    }
  }
}

/// A feature that shares the `name` of a model, and whose presented child shares the `count`.
///
/// The action increments `count`.
private struct SharedModel: Reducer {
  struct Model: Equatable, Sendable {
    var name = ""
    var count = 0
  }

  struct Child: Equatable {
    @Shared var count: Int
  }

  struct State: Equatable {
    @Shared var name: String
    var child: PresentationState<Child>
  }

  enum Action: Equatable, Sendable { case increment }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    state.child.wrappedValue?.$count.withLock { $0 += 1 }
    return .none
  }
}

@MainActor @Suite(.timeLimit(.minutes(5))) struct SharedTestStoreTests {
  @Shared(value: 0) private var count

  private func counter() -> TestStore<SharedCounter.State, SharedCounter.Action> {
    TestStore(initialState: SharedCounter.State(count: $count)) { SharedCounter() }
  }

  @Test func `a change of a shared value is asserted in the same closure as a change of the state`()
    async
  {
    let store = counter()
    await store.send(.increment) {
      $0.clicks = 1
      $0.$count.withLock { $0 = 1 }
    }
    await store.send(.increment) {
      $0.clicks = 2
      $0.$count.withLock { $0 += 1 }
    }
    #expect(count == 2)
    #expect(store.state.count == 2)
  }

  @Test func `a shared value in presented state that changes without an assertion is reported`()
    async
  {
    @Shared(value: SharedModel.Model()) var model
    let child = PresentationState(wrappedValue: SharedModel.Child(count: $model.count))
    let store = TestStore(initialState: SharedModel.State(name: $model.name, child: child)) {
      SharedModel()
    }
    await withKnownIssue {
      await store.send(.increment)
    } matching: {
      "\($0)".contains("it changed, and no closure states the change")
    }
  }

  @Test func `a wrong expectation shows the expected and the actual value`() async {
    let store = counter()
    await withKnownIssue {
      await store.send(.increment) {
        $0.clicks = 1
        $0.$count.withLock { $0 = 3 }
      }
    } matching: {
      let text = "\($0)"
      return text.contains("send(Action.increment): the state is not as expected")
        && text.contains("_count: 3") && text.contains("_count: 1")
    }
    #expect(count == 1)
  }

  @Test func `an unasserted change of a shared value fails`() async {
    let store = counter()
    await withKnownIssue {
      await store.send(.increment) { $0.clicks = 1 }
    } matching: {
      let text = "\($0)"
      return text.contains("_count: 0") && text.contains("_count: 1")
    }
  }

  @Test
  func `receive compares the shared value right after the action, not after later actions`()
    async
  {
    let store = counter()
    await store.send(.incrementTwice)
    await store.receive(.increment) {
      $0.clicks = 1
      $0.$count.withLock { $0 = 1 }
    }
    await store.receive(.increment) {
      $0.clicks = 2
      $0.$count.withLock { $0 = 2 }
    }
  }

  @Test func `a change made by an effect must be asserted by the next action, or the test fails`()
    async
  {
    let store = counter()
    await store.send(.incrementInEffect).finish()
    await store.send(.increment) {
      $0.clicks = 1
      $0.$count.withLock { $0 = 2 }
    }
    await withKnownIssue {
      await counter().send(.incrementInEffect).finish()
    } matching: {
      let text = "\($0)"
      return text.contains("the test ended without asserting the change of a shared value")
        && text.contains("2") && text.contains("3")
    }
  }

  @Test func `a shared value outside the state is asserted through the test's own reference`() async
  {
    @Shared(.inMemory("log")) var log: [String] = []
    let store = counter()
    await store.send(.log) { [$log] _ in $log.withLock { $0 = ["logged"] } }
    await withKnownIssue {
      await store.send(.log)
    } matching: {
      "\($0)".contains(#"the closure does not expect the change of .inMemory("log")"#)
    }
    #expect(log == ["logged", "logged"])
  }

  @Test func `two references to equal shared values are equal`() async {
    let store = TestStore(initialState: [SharedCounter.State]()) {
      Reduce<[SharedCounter.State], Bool> { [$count] state, _ in
        state.append(SharedCounter.State(count: $count))
        return .none
      }
    }
    await store.send(true) { $0 = [SharedCounter.State(count: Shared(value: 0))] }
  }

  @Test func `with exhaustivity off, only asserted changes of shared values are checked`() async {
    let store = counter()
    store.exhaustivity = .off
    await store.send(.increment)
    await store.send(.log)
    await store.send(.increment) { $0.$count.withLock { $0 = 2 } }
    await withKnownIssue {
      await store.send(.increment) { $0.$count.withLock { $0 = 9 } }
    } matching: {
      "\($0)".contains("_count: 9") && "\($0)".contains("_count: 3")
    }
  }

  @Test func `with exhaustivity off, a wrong assertion about a value outside the state fails`()
    async
  {
    @Shared(.inMemory("log")) var log: [String] = []
    let store = counter()
    store.exhaustivity = .off
    await withKnownIssue {
      await store.send(.log) { [$log] _ in $log.withLock { $0 = ["wrong"] } }
    } matching: {
      "\($0)".contains(#"the change of .inMemory("log")"#) && "\($0)".contains("wrong")
    }
  }

  @Test func `an unasserted change of a shared value in an element is reported once`() async {
    struct State: Equatable {
      var clicks = 0
      var rows: [SharedCounter.State]
    }
    let store = TestStore(initialState: State(rows: [SharedCounter.State(count: $count)])) {
      Reduce<State, Bool> { state, _ in
        state.clicks += 1
        state.rows[0].$count.withLock { $0 += 1 }
        return .none
      }
    }
    let reports = LockIsolated(0)
    await withKnownIssue {
      await store.send(true)
    } matching: { _ in
      reports.withValue { $0 += 1 }
      return true
    }
    #expect(reports.value == 1)
  }

  @Test func `a change made by the test itself need not be asserted`() async {
    let store = counter()
    $count.withLock { $0 = 10 }
    await store.send(.increment) {
      $0.clicks = 1
      $0.$count.withLock { $0 = 11 }
    }
  }
}
