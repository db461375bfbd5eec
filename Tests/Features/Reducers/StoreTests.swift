import ClientDependencies
import Observation
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct StoreTests {
  private let clock = TestClock<Duration>()

  private func counter() -> Store<Counter.State, Counter.Action> {
    Store(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  private func parent(
    _ state: Parent.State = Parent.State()
  ) -> Store<Parent.State, Parent.Action> {
    Store(initialState: state) {
      Parent()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `an action changes the state before send returns`() {
    let store = counter()
    store.send(.increment)
    #expect(store.count == 1)
    #expect(store.withState(\.count) == 1)
  }

  @Test func `the task of an action ends with its effects`() async {
    let store = counter()
    let task = store.send(.addLater(3))
    await clock.advance(by: .seconds(1))
    await task.finish()
    #expect(store.count == 3)
  }

  @Test func `canceling the task of an action ends its effects`() async {
    let store = counter()
    let task = store.send(.startTicking)
    task.cancel()
    await task.finish()
    await clock.advance(by: .seconds(3))
    #expect(store.count == 0)
  }

  @Test func `releasing the store cancels its effects`() async {
    var store: Store<Counter.State, Counter.Action>? = counter()
    let task = store?.send(.startTicking)
    store = nil
    await task?.finish()
  }

  @Test func `a child store reads and changes its part of the state, and is reused while retained`()
  {
    let store = parent()
    let child = store.scope(state: \.child, action: \.child)
    child.send(.increment)
    #expect(child.count == 1)
    #expect(store.child.count == 1)
    #expect(store.scope(state: \.child, action: \.child) === child)
  }

  @Test
  func `a child store exists only with the child's state; a retained store keeps the last state`()
    throws
  {
    let store = parent()
    #expect(store.scope(state: \.optional, action: \.optional) == nil)
    let other = parent(Parent.State(optional: Counter.State(count: 4)))
    let child = try #require(other.scope(state: \.optional, action: \.optional))
    other.send(.clear)
    #expect(other.scope(state: \.optional, action: \.optional) == nil)
    #expect(child.count == 4)
  }

  @Test func `each row has a store, found by the row's ID`() throws {
    let store = parent(Parent.State(rows: [Counter.State(id: 1), Counter.State(id: 2)]))
    let rows = store.scope(state: \.rows, action: \.rows)
    let second = try #require(rows[id: 2])
    second.send(.add(5))
    #expect(store.rows.map(\.count) == [0, 5])
    #expect(rows.stores.map(\.count) == [0, 5])
    #expect(rows[id: 3] == nil)
    #expect(store.scope(state: \.rows, action: \.rows)[id: 2] === second)
  }

  @Test func `a presented feature has a store until it is dismissed`() throws {
    let store = parent(Parent.State(sheet: Counter.State()))
    let sheet = try #require(store.scope(state: \.$sheet, action: \.sheet))
    sheet.send(.increment)
    #expect(store.sheet?.count == 1)
    store.send(.sheet(.dismiss))
    #expect(store.scope(state: \.$sheet, action: \.sheet) == nil)
  }

  @Test func `observers of the state are notified of a change`() {
    let store = counter()
    let isChanged = LockIsolated(false)
    withObservationTracking {
      _ = store.count
    } onChange: {
      isChanged.setValue(true)
    }
    store.send(.increment)
    #expect(isChanged.value)
  }

  @Test
  func `the states sequence yields the current state, then the newest, and ends with the store`()
    async
  {
    var store: Store<Counter.State, Counter.Action>? = counter()
    var states = store?.states.makeAsyncIterator()
    #expect(await states?.next()?.count == 0)
    store?.send(.add(2))
    #expect(await states?.next()?.count == 2)
    store = nil
    #expect(await states?.next() == nil)
  }

  @Test func `a released child store's states sequence continues until the root store is released`()
    async throws
  {
    var store: Store<Parent.State, Parent.Action>? = parent()
    let states = try #require(store).scope(state: \.child, action: \.child).states
    var counts: [Int] = []
    for await state in states {
      counts.append(state.count)
      if counts.count == 3 { store = nil } else { store?.send(.child(.add(counts.count))) }
    }
    #expect(counts == [0, 1, 3])
  }

  @Test func `an action that is sent by a reducer waits until that reducer is done`() {
    final class Box { var store: Store<[String], String>? }
    let box = Box()
    let store = Store<[String], String>(initialState: []) {
      Reduce { state, action in
        state.append("begin \(action)")
        if action == "first" { MainActor.assumeIsolated { _ = box.store?.send("second") } }
        state.append("end \(action)")
        return .none
      }
    }
    box.store = store
    store.send("first")
    #expect(store.state == ["begin first", "end first", "begin second", "end second"])
  }
}
