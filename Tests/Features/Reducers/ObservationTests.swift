import ClientDependencies
import Observation
import Testing

@testable import Reducers

/// Tests that each observer of a store is notified of the changes of the values it read.
@MainActor @Suite(.timeLimit(.minutes(5))) struct ObservationTests {
  private let store = Store(
    initialState: Parent.State(
      optional: Counter.State(), rows: [Counter.State(id: 1), Counter.State(id: 2)])
  ) {
    Parent()
  }

  /// Whether `change` notifies an observer of the values that `read` reads.
  private func learns(reading read: () -> Void, of change: () -> Void) -> Bool {
    let isChanged = LockIsolated(false)
    withObservationTracking(read) { isChanged.setValue(true) }
    change()
    return isChanged.value
  }

  @Test func `an observer of one value is notified only of changes of that value`() {
    #expect(learns(reading: { _ = store.child }) { store.send(.child(.increment)) })
    #expect(!learns(reading: { _ = store.rows }) { store.send(.child(.increment)) })
    #expect(!learns(reading: { _ = store.child }) { store.send(.child(.add(0))) })
  }

  @Test func `an observer of the whole state is notified of each action`() {
    #expect(learns(reading: { _ = store.state }) { store.send(.child(.add(0))) })
  }

  @Test func `an observer of a value that is not Equatable is notified of each action`() {
    struct Opaque { var number = 0 }
    let store = Store<[Opaque], Int>(initialState: [Opaque()]) {
      Reduce { state, action in
        state[0].number += action
        return .none
      }
    }
    #expect(learns(reading: { _ = store.first }) { store.send(0) })
    #expect(!learns(reading: { _ = store.count }) { store.send(1) })
  }

  @Test func `an observer of a child store's value is notified only of that child's changes`() {
    let child = store.scope(state: \.child, action: \.child)
    #expect(learns(reading: { _ = child.count }) { child.send(.increment) })
    #expect(!learns(reading: { _ = child.id }) { child.send(.increment) })
    #expect(!learns(reading: { _ = child.count }) { store.send(.optional(.increment)) })
  }

  @Test func `an observer that creates a child store is notified of the child's changes`() {
    func count() { _ = store.scope(state: \.child, action: \.child).count }
    #expect(!learns(reading: count) { store.send(.optional(.increment)) })
    #expect(learns(reading: count) { store.send(.child(.increment)) })
  }

  @Test func `an observer of an optional child is notified of its presence, not of its changes`() {
    func child() { _ = store.scope(state: \.optional, action: \.optional) }
    #expect(!learns(reading: child) { store.send(.optional(.increment)) })
    #expect(learns(reading: child) { store.send(.clear) })
  }

  @Test
  func `a row's change notifies the row's observer; a removed row notifies the rows' observer`() {
    func rows() { _ = store.scope(state: \.rows, action: \.rows).stores }
    func first() { _ = store.scope(state: \.rows, action: \.rows)[id: 1]?.count }
    func tick(_ id: Int) { store.send(.rows(.element(id: id, action: .tick))) }
    #expect(!learns(reading: rows) { tick(1) })
    #expect(learns(reading: first) { tick(1) })
    #expect(!learns(reading: first) { tick(2) })
    #expect(learns(reading: rows) { store.send(.removeRow(2)) })
  }

  @Test func `a row's change notifies observers of the array, but not of the rows' stores`() {
    func rows() { _ = store.scope(state: \.rows, action: \.rows).stores }
    func tick() { store.send(.rows(.element(id: 1, action: .tick))) }
    rows()
    #expect(learns(reading: { _ = store.rows }, of: tick))
    _ = store.rows
    #expect(!learns(reading: rows, of: tick))
  }

  @Test func `an observer of a removed row is notified once and then removed`() {
    let row = store.scope(state: \.rows, action: \.rows)[id: 2]
    func count() { _ = row?.count }
    #expect(learns(reading: count) { store.send(.removeRow(2)) })
    #expect(!learns(reading: count) { store.send(.removeRow(1)) })
    #expect(row?.count == 0)
    #expect(store.changes.observedCount == 0)
  }

  @Test func `an optional child's values are not observed after its state becomes nil`() {
    let child = store.scope(state: \.optional, action: \.optional)
    #expect(learns(reading: { _ = child?.count }) { store.send(.clear) })
    #expect(child?.count == 0)
    #expect(store.changes.observedCount == 0)
  }

  @Test func `values read with withState are not observed`() {
    #expect(!learns(reading: { _ = store.withState(\.child) }) { store.send(.child(.increment)) })
  }

  @Test func `an observer that reads again after each change is notified of each change`() async {
    var counts: [Int] = []
    for number in 1...3 {
      #expect(
        learns(reading: { counts.append(store.child.count) }) { store.send(.child(.increment)) })
      #expect(store.child.count == number)
    }
    #expect(counts == [0, 1, 2])
  }

  @Test func `an observed store can be released, which ends its effects`() async {
    func run() -> StoreTask {
      let store = Store(initialState: Counter.State()) {
        Counter()
      } withDependencies: {
        $0.continuousClock = TestClock()
      }
      _ = store.count
      _ = store.state
      return store.send(.startTicking)
    }
    await run().finish()
  }
}
