import ClientDependencies
import Observation
import Reducers
import Testing

/// Wrong uses of features and stores are reported, and never trap.
@MainActor @Suite(.timeLimit(.minutes(5))) struct BadUseTests {
  private final class Box<State, Action> {
    var store: Store<State, Action>?
  }

  /// A feature whose reducer calls a function before it adds its action to the state.
  private struct Recorder: Reducer {
    let call: (String) -> Effect<String>

    func reduce(into state: inout [String], action: String) -> Effect<String> {
      let effect = call(action)
      state.append(action)
      return effect
    }
  }

  /// Returns a store whose reducer may use the store itself.
  private func store(
    _ call: @escaping @MainActor (Store<[String], String>, String) -> Effect<String>
  ) -> Store<[String], String> {
    let box = Box<[String], String>()
    let store = Store(initialState: ["initial"]) {
      Recorder { action in
        nonisolated(unsafe) var effect = Effect<String>.none
        // The main actor runs the store's reducer.
        MainActor.assumeIsolated { if let store = box.store { effect = call(store, action) } }
        return effect
      }
    }
    box.store = store
    return store
  }

  @Test func `reading the store's state in its reducer is reported and returns the initial state`()
  {
    var read: [[String]] = []
    let store = store { store, action in
      if action == "b" { read = [store.state, store.withState(\.self), [store.first ?? ""]] }
      return .none
    }
    store.send("a")
    withKnownIssue {
      store.send("b")
    } matching: {
      "\($0)".contains("Recorder: the store's state was read while its reducer handled String")
        && $0.sourceLocation?.fileName == "BadUseTests.swift"
    }
    #expect(read == [["initial"], ["initial"], ["initial"]])
    #expect(store.state == ["initial", "a", "b"])
  }

  @Test func `reading a child store's state in the parent's reducer is reported`() throws {
    let box = Box<Counter.State, Counter.Action>()
    let store = Store(initialState: Parent.State(optional: Counter.State(count: 3))) {
      Parent()
      Reduce { state, action in
        if case .child = action { MainActor.assumeIsolated { _ = box.store?.count } }
        return .none
      }
    }
    let child = try #require(store.scope(state: \.optional, action: \.optional))
    box.store = child
    withKnownIssue {
      store.send(.child(.increment))
    } matching: {
      "\($0)".contains("the store's state was read while its reducer handled Action.child")
    }
    #expect(box.store?.count == 3)
    box.store = nil
  }

  @Test func `observers may read the state and send actions when notified of a change`() {
    let store = Store(initialState: Counter.State()) { Counter() }
    let seen = LockIsolated<[Int]>([])
    withObservationTracking {
      _ = store.count
    } onChange: {
      MainActor.assumeIsolated {
        seen.withValue { $0.append(store.count) }
        store.send(.add(10))
      }
    }
    store.send(.increment)
    #expect(seen.value == [1])
    #expect(store.count == 11)
  }

  @Test func `an action sent by a reducer waits, and an endless chain is reported`() {
    let store = store { store, action in
      if action == "again" { store.send(action) }
      return .none
    }
    withKnownIssue {
      store.send("again")
    } matching: {
      "\($0)".contains("Recorder: 200,000 actions followed from String")
    }
    #expect(store.state.count == 200_001)
    store.send("end")
    #expect(store.state.count == 200_002)
  }

  @Test func `an effect that endlessly sends its own action is reported`() {
    let store = store { _, action in .send(action) }
    withKnownIssue {
      store.send("again")
    } matching: {
      "\($0)".contains("200,000 actions followed from")
    }
  }

  @Test func `a burst of 20,000 actions is not reported`() {
    let store = store { _, action in
      guard action == "burst" else { return .none }
      return .merge((1...20_000).map { Effect<String>.send("\($0)") })
    }
    store.send("burst")
    #expect(store.state.count == 20_002)
  }

  @Test func `a chain of 100,000 actions is not reported`() {
    let store = Store<Int, Bool>(initialState: 0) {
      Reduce { state, _ in
        state += 1
        return state < 100_000 ? .send(true) : .none
      }
    }
    store.send(true)
    #expect(store.state == 100_000)
  }

  @Test func `actions that an effect sends after its cancellation are ignored`() async {
    let (gate, open) = AsyncStream<Void>.makeStream()
    let store = store { _, action in
      switch action {
      case "start":
        Effect.run { send in
          // This wait ignores cancellation, so the effect still runs after it is canceled.
          await Task.detached { for await _ in gate { break } }.value
          await send("late")
        }
        .cancellable(id: "effect")
      case "cancel": .cancel(id: "effect")
      default: .none
      }
    }
    let task = store.send("start")
    store.send("cancel")
    open.yield()
    await task.finish()
    #expect(store.state == ["initial", "start", "cancel"])
  }

  @Test func `effects and children of a released store send no actions and end at once`()
    async throws
  {
    let escaped = LockIsolated<Send<Counter.Action>?>(nil)
    let reduced = LockIsolated(0)
    func run() async -> StoreTask {
      let store = Store<Int, Counter.Action>(initialState: 0) {
        Reduce { _, action in
          reduced.withValue { $0 += 1 }
          return .run { send in
            escaped.setValue(send)
            try await Task.never()
          }
        }
      }
      let task = store.send(.increment)
      while escaped.value == nil { await Task.yield() }
      return task
    }
    let task = await run()
    let send = try #require(escaped.value)
    send(.increment)
    await task.finish()
    task.cancel()
    #expect(reduced.value == 1)
  }

  @Test func `a retained child store retains its root store`() {
    let clock = TestClock<Duration>()
    func child() -> Store<Counter.State, Counter.Action> {
      Store(initialState: Parent.State()) {
        Parent()
      } withDependencies: {
        $0.continuousClock = clock
      }
      .scope(state: \.child, action: \.child)
    }
    let counter = child()
    counter.send(.increment)
    #expect(counter.count == 1)
  }

  @Test func `if elements have the same ID, only the first is kept and reduced`()
    async
  {
    let rows: IdentifiedArrayOf<Counter.State> = [
      Counter.State(id: 1, count: 5), Counter.State(id: 1, count: 9),
    ]
    let store = TestStore(initialState: Parent.State(rows: rows)) { Parent() }
    #expect(store.state.rows.map(\.count) == [5])
    await store.send(.rows(.element(id: 1, action: .increment))) { $0.rows[id: 1]?.count = 6 }
  }

  @Test func `an action for a case that the state is not in is reported and changes nothing`() async
  {
    let store = TestStore(initialState: Screen.State.text("a")) { Screen() }
    await withKnownIssue {
      await store.send(.counter(.increment))
    } matching: {
      "\($0)".contains("Counter got the action Action.increment without state")
        && $0.sourceLocation?.fileName == "Features.swift"
    }
    #expect(store.state == .text("a"))
  }

  @Test
  func `a missing dependency is reported with the feature, the action, and a line`()
    async
  {
    struct Greeter: Reducer {
      @Dependency(\.uuid) var uuid

      func reduce(into state: inout [String], action: String) -> Effect<String> {
        if action == "at once" { state = ["\(uuid())"] }
        return action == "later" ? .run { [uuid] _ in _ = uuid() } : .none
      }
    }
    for action in ["at once", "later"] {
      let store = TestStore(initialState: [String]()) { Greeter() }
      store.exhaustivity = .off
      await withKnownIssue {
        await store.send(action).finish()
      } matching: {
        let text = "\($0)"
        return text.contains("Greeter, String") && text.contains("uuid")
          && $0.sourceLocation?.fileName == "BadUseTests.swift"
      }
    }
  }
}
