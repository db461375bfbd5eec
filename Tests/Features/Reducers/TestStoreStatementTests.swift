import ClientDependencies
import ReducersMacros
import Testing

/// Tests the ways to state expectations, and the reports of a test store.
@MainActor @Suite(.timeLimit(.minutes(5))) struct TestStoreStatementTests {
  private let clock = TestClock<Duration>()

  /// A feature whose effects each send one action.
  @Reducer
  fileprivate struct Steps {
    struct State: Equatable {
      var log: [String] = []
      var id = 0
    }

    enum Action: Equatable, Sendable {
      case start
      case later(String)
      case first, second
      case number
      case close
    }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.dismiss) var dismiss
    @Dependency(\.withRandomNumberGenerator) var random

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .start: return .merge(.send(.first), .send(.second))
        case .later(let text):
          state.log.append(text)
          return .run { [clock] send in
            try await clock.sleep(for: .seconds(1))
            await send(.first)
          }
        case .first, .second:
          state.log.append("\(action)")
          return .none
        case .number:
          state.id = random { Int.random(in: 0..<1_000_000, using: &$0) }
          return .none
        case .close: return .run { [dismiss] _ in await dismiss() }
        }
      }
    }
  }

  private func steps() -> TestStoreOf<Steps> {
    TestStore(initialState: .init()) {
      Steps()
    } withDependencies: {
      $0.continuousClock = clock
      $0.withRandomNumberGenerator = WithRandomNumberGenerator(Fixed())
    }
  }

  private struct Fixed: RandomNumberGenerator {
    mutating func next() -> UInt64 { 0x1234_5678_9ABC_DEF0 }
  }

  @Test func `a test store runs several reducers in their order`() async {
    let store = TestStore(initialState: 1) {
      Reduce<Int, Int> { state, number in
        state += number
        return .none
      }
      Reduce { state, number in
        state *= number
        return .none
      }
    }
    await store.send(3) { $0 = 12 }
  }

  @Test func `an action can be sent by the key path of its case, with the associated value`() async
  {
    let store = steps()
    await store.send(\.later, "a") { $0.log = ["a"] }
    await store.send(\.first) { $0.log = ["a", "first"] }
    await clock.advance(by: .seconds(1))
    await store.receive(\.first) { $0.log = ["a", "first", "first"] }
  }

  @Test func `StoreOf, EffectOf, and SendOf are shorthands for a feature's types`() {
    let store: StoreOf<Steps> = Store(initialState: Steps.State()) { Steps() }
    let effect: EffectOf<Steps> = .run { (send: SendOf<Steps>) in await send(.first) }
    let effects: [Effect<Steps.Action>] = [effect]
    #expect(store.log == [] && effects.count == 1)
  }

  @Test
  func `closures passed to a test store read its dependencies and its state before the action`()
    async
  {
    let store = steps()
    await store.send(.number) {
      @Dependency(\.withRandomNumberGenerator) var random
      #expect(store.state.id == 0)
      $0.id = random { Int.random(in: 0..<1_000_000, using: &$0) }
    }
    #expect(store.state.id != 0)
    await store.send(.start)
    await store.receive(.first) {
      #expect(store.state.log == [])
      $0.log = ["first"]
    }
    await store.receive(.second) { $0.log = ["first", "second"] }
  }

  @Test func `an unexpected action is reported once, without a second issue for its state change`()
    async
  {
    let store = steps()
    await store.send(.start)
    await withKnownIssue {
      await store.receive(.second)
    } matching: {
      let text = "\($0)"
      return text.contains("received Action.first instead") && text.contains("Steps.Action.second")
    }
    #expect(store.state.log == ["first"])
    await store.receive(.second) { $0.log = ["first", "second"] }
  }

  @Test func `unreceived actions are listed, and the next receive can still receive them`() async {
    let store = steps()
    await store.send(.start)
    await withKnownIssue {
      await store.send(.later("a")) { $0.log = ["first", "second", "a"] }
    } matching: {
      "\($0)".contains("2 actions:\n\n  TestStoreStatementTests.Steps.Action.first\n")
    }
    await store.receive(.first) { $0.log = ["first"] }
    await store.receive(.second) { $0.log = ["first", "second"] }
    await store.skipInFlightEffects()
  }

  @Test func `with exhaustivity off, received actions remain if the expected action is missing`()
    async
  {
    let store = steps()
    store.exhaustivity = .off
    await store.send(.start)
    await withKnownIssue {
      await store.receive(\.start)
    } matching: {
      let text = "\($0)"
      return text.contains("receive(\\.start): no effect is running")
        && text.contains("It was not among 2 actions:")
    }
    await store.receive(\.first)
    #expect(store.state.log == ["first"])
    await store.receive(\.second)
  }

  @Test func `skipInFlightEffects stops waiting for effects; their actions still arrive`() async {
    let store = steps()
    await store.send(.later("a")) { $0.log = ["a"] }
    await store.skipInFlightEffects()
    await clock.advance(by: .seconds(1))
    await store.receive(.first) { $0.log = ["a", "first"] }
    await store.send(.later("b")) { $0.log = ["a", "first", "b"] }
    await store.skipInFlightEffects()
  }

  @Test func `assert compares the current state with the expected values`() async {
    let store = steps()
    store.exhaustivity = .off
    await store.send(.first)
    store.assert { $0.log = ["first"] }
    withKnownIssue {
      store.assert { $0.log = [] }
    } matching: {
      "\($0)".contains("assert: the state is not as expected")
    }
  }

  @Test func `withExhaustivity applies only within its operation`() async {
    let store = steps()
    await store.withExhaustivity(.off) { _ = await store.send(.first) }
    #expect(store.exhaustivity == .on)
    #expect(store.withExhaustivity(.off) { store.exhaustivity } == .off)
    await store.send(.second) { $0.log = ["first", "second"] }
  }

  @Test func `a root feature that dismisses itself gets no more actions, and its effects end`()
    async
  {
    let store = steps()
    let later = await store.send(.later("a")) { $0.log = ["a"] }
    #expect(!store.isDismissed)
    await store.send(.close).finish()
    #expect(store.isDismissed)
    await later.finish()
    await withKnownIssue {
      await store.send(.first)
    } matching: {
      "\($0)".contains("send(Action.first): the feature has dismissed itself")
    }
    #expect(store.state.log == ["a"])
  }

  @Test func `closing a child that is not presented does not dismiss the root feature`() async {
    let store = TestStore(initialState: Parent.State(optional: Counter.State())) { Parent() }
    await store.send(.optional(.close)).finish()
    await store.send(.optional(.close)).finish()
    #expect(!store.isDismissed)
  }

  @Test func `a change of the state that no closure asserts is reported`() async {
    let store = steps()
    await withKnownIssue {
      await store.send(.first)
    } matching: {
      "\($0)".contains("it changed, and no closure states the change")
    }
  }
}
