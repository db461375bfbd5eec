import ClientDependencies
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct StackTests {
  private struct Screens: Reducer {
    struct State: Equatable {
      var path = StackState<Counter.State>()
    }

    enum Action: CasePathable, Sendable {
      case path(StackActionOf<Counter>)
      case reset

      struct AllCasePaths: Sendable {
        var path: AnyCasePath<Action, StackActionOf<Counter>> {
          AnyCasePath(
            embed: { .path($0) }, extract: { if case .path(let value) = $0 { value } else { nil } })
        }
      }

      static var allCasePaths: AllCasePaths { AllCasePaths() }
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        if case .reset = action { state.path.removeAll() }
        return .none
      }
      .forEach(\.path, action: \.path) { Counter() }
    }
  }

  private let clock = TestClock<Duration>()

  private func screens(
    _ counters: Counter.State...
  ) -> TestStore<Screens.State, Screens.Action> {
    TestStore(initialState: Screens.State(path: StackState(counters))) {
      Screens()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `elements are pushed, changed by their ids, and popped with those above`() async {
    let store = screens()
    await store.send(.path(.push(id: 0, state: Counter.State()))) {
      $0.path.append(Counter.State())
    }
    await store.send(.path(.push(id: 1, state: Counter.State(id: 1)))) {
      $0.path.append(Counter.State(id: 1))
    }
    await store.send(.path(.element(id: 1, action: .increment))) { $0.path[id: 1]?.count = 1 }
    await store.send(.path(.popFrom(id: 0))) { $0.path.pop(from: 0) }
    #expect(store.state.path.isEmpty)
  }

  @Test func `stacks with equal elements and ids are equal, whatever was popped before`() async {
    let store = screens(Counter.State())
    await store.send(.path(.popFrom(id: 0))) { $0.path = [] }
    var stack: StackState<Int> = [1, 2]
    stack.popLast()
    let equal: StackState<Int> = [1]
    #expect(stack == equal)
    #expect(stack.hashValue == equal.hashValue)
    stack.removeAll()
    stack.append(1)
    #expect(stack != equal)
  }

  @Test func `an element that dismisses itself is popped, and its effects end`() async {
    let store = screens(Counter.State(), Counter.State(id: 1))
    let ticking = await store.send(.path(.element(id: 1, action: .startTicking)))
    await store.send(.path(.element(id: 1, action: .close)))
    await store.receive(\.path.popFrom, 1) { $0.path.pop(from: 1) }
    await ticking.finish()
    #expect(store.state.path.ids == [0])
  }

  @Test func `the effects of all elements end with the stack`() async {
    let store = screens(Counter.State(), Counter.State(id: 1))
    let first = await store.send(.path(.element(id: 0, action: .startTicking)))
    let second = await store.send(.path(.element(id: 1, action: .startTicking)))
    await store.send(.reset) { $0.path.removeAll() }
    await first.finish()
    await second.finish()
  }

  @Test func `a used ID and an unknown ID are reported`() async {
    let store = screens(Counter.State())
    await withKnownIssue {
      await store.send(.path(.push(id: 0, state: Counter.State(id: 9))))
    } matching: {
      "\($0)".contains("pushed with the id #0, which is in use")
    }
    await withKnownIssue {
      await store.send(.path(.popFrom(id: 5)))
    } matching: {
      "\($0)".contains("popFrom(#5): there is no such element")
    }
    await withKnownIssue {
      await store.send(.path(.element(id: 5, action: .increment)))
    } matching: {
      "\($0)".contains("Counter got the action Action.increment without state")
    }
  }
}
