import ClientDependencies
import Foundation
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
      case replace

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
        if case .replace = action { state.path = [Counter.State(id: 7)] }
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

  @Test func `elements are pushed, changed by their ids, and popped with the elements above them`()
    async
  {
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
    stack.removeLast()
    let equal: StackState<Int> = [1]
    #expect(stack == equal)
    #expect(stack.hashValue == equal.hashValue)
    stack.removeAll()
    stack.append(1)
    #expect(stack != equal)
  }

  @Test func `assigning to an unknown ID asserts a push, and the next push gets the next ID`() async
  {
    let store = screens(Counter.State())
    await store.send(.path(.push(id: 1, state: Counter.State(id: 1)))) {
      $0.path[id: 1] = Counter.State(id: 1)
    }
    var path = StackState<Counter.State>()
    path[id: 4] = Counter.State()
    path.append(Counter.State())
    path[id: 4] = nil
    #expect(path.ids == [5])
  }

  @Test func `outside a test, assigning to an unknown ID is reported and has no effect`() {
    var stack: StackState<Int> = [1]
    withKnownIssue {
      withDependencies {
        $0.context = .live
      } operation: {
        stack[id: 7] = 2
      }
    } matching: {
      "\($0)".contains("there is no element with the ID #7")
    }
    #expect(Array(stack) == [1])
  }

  @Test func `a stack supports the operations of an array, and each new element gets a new ID`() {
    var stack: StackState<Int> = [1, 2, 3]
    stack.replaceSubrange(1..<2, with: [7, 8])
    #expect(Array(stack) == [1, 7, 8, 3])
    #expect(stack.ids == [0, 3, 4, 2])
    stack.removeLast(2)
    stack.insert(9, at: 0)
    stack += [5]
    stack.removeAll { $0 == 7 }
    #expect(Array(stack) == [9, 1, 5])
    #expect(stack.ids == [5, 0, 6])
    stack[id: 0]? += 10
    #expect(Array(stack) == [9, 11, 5])
  }

  @Test
  func `the case subscript of a stack changes a matching element and reports another case`() {
    var stack: StackState<Screen.State> = [.counter(Counter.State()), .text("a")]
    stack[id: 0, case: \.counter]?.count = 2
    stack[id: 1, case: \.text]? += "b"
    #expect(Array(stack) == [.counter(Counter.State(count: 2)), .text("ab")])
    #expect(stack[id: 1, case: \.counter] == nil)
    withKnownIssue {
      stack[id: 1, case: \.counter]?.count = 3
    } matching: {
      "\($0)".contains("[case: \\.counter] was changed, but the element #1 is State.text")
    }
    withKnownIssue {
      stack[id: 6, case: \.counter]?.count = 3
    } matching: {
      "\($0)".contains("the element #6 does not exist")
    }
    #expect(Array(stack) == [.counter(Counter.State(count: 2)), .text("ab")])
  }

  @Test func `a stack is encoded as an array, and shown with its ids`() throws {
    let stack: StackState<Int> = [4, 5]
    #expect(try String(decoding: JSONEncoder().encode(stack), as: UTF8.self) == "[4,5]")
    #expect(try JSONDecoder().decode(StackState<Int>.self, from: Data("[4,5]".utf8)) == stack)
    #expect(stack.description == "[4, 5]")
    #expect(stack.debugDescription == "StackState<Int>(#0: 4, #1: 5)")
  }

  @Test func `a failure shows the changed element of a stack with its id`() async {
    let store = screens(Counter.State(), Counter.State(id: 1))
    await withKnownIssue {
      await store.send(.path(.element(id: 1, action: .increment))) { $0.path[id: 1]?.count = 2 }
    } matching: {
      let text = "\($0)"
      return text.contains("#1: Counter.State(") && text.contains("count: 2")
        && !text.contains("entries") && !text.contains("Number")
    }
  }

  @Test func `an element that dismisses itself is popped, and its effects end`() async {
    let store = screens(Counter.State(), Counter.State(id: 1))
    let ticking = await store.send(.path(.element(id: 1, action: .startTicking)))
    await store.send(.path(.element(id: 1, action: .close)))
    await store.receive(\.path.popFrom, 1) { $0.path.pop(from: 1) }
    await ticking.finish()
    #expect(store.state.path.ids == [0])
  }

  @Test func `the effects of all elements end when the elements are removed from the stack`() async
  {
    let store = screens(Counter.State(), Counter.State(id: 1))
    let first = await store.send(.path(.element(id: 0, action: .startTicking)))
    let second = await store.send(.path(.element(id: 1, action: .startTicking)))
    await store.send(.reset) { $0.path.removeAll() }
    await first.finish()
    await second.finish()
  }

  @Test func `the effects of all elements end when the state's stack is replaced by another stack`()
    async
  {
    let store = screens(Counter.State())
    let ticking = await store.send(.path(.element(id: 0, action: .startTicking)))
    await store.send(.replace) { $0.path = [Counter.State(id: 7)] }
    await ticking.finish()
    let others = await store.send(.path(.element(id: 0, action: .startTicking)))
    await store.send(.replace)
    await others.finish()
  }

  @Test func `the effects of all elements end when a later reducer replaces the stack`()
    async
  {
    let store = TestStore(
      initialState: Screens.State(path: [Counter.State(), Counter.State(id: 1)])
    ) {
      CombineReducers {
        Screens()
        Reduce<Screens.State, Screens.Action> { state, action in
          if case .path(.element(id: 1, action: .increment)) = action {
            state.path = [Counter.State(id: 8)]
          }
          return .none
        }
      }
    } withDependencies: {
      $0.continuousClock = clock
    }
    let ticking = await store.send(.path(.element(id: 0, action: .startTicking)))
    await store.send(.path(.element(id: 1, action: .increment))) {
      $0.path = [Counter.State(id: 8)]
    }
    await store.send(.path(.element(id: 0, action: .increment))) { $0.path[id: 0]?.count = 1 }
    await ticking.finish()
  }

  @Test func `a push with a used or skipped ID, and an action for an unknown ID, are reported`()
    async
  {
    let store = screens(Counter.State())
    await withKnownIssue {
      await store.send(.path(.push(id: 0, state: Counter.State(id: 9))))
    } matching: {
      "\($0)".contains("pushed with the id #0, which is in use")
    }
    await withKnownIssue {
      await store.send(.path(.push(id: 2, state: Counter.State()))) {
        $0.path[id: 2] = Counter.State()
      }
    } matching: {
      "\($0)".contains("pushed with the id #2, but the next id is #1")
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
