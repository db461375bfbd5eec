import ClientDependencies
import Reducers
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct CompositionTests {
  private let clock = TestClock<Duration>()

  private func parent(
    _ state: Parent.State = Parent.State()
  ) -> TestStore<Parent.State, Parent.Action> {
    TestStore(initialState: state) {
      Parent()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `a scoped child changes its part of the state, and gets the actions of its effects`()
    async
  {
    let store = parent()
    await store.send(.child(.increment)) { $0.child.count = 1 }
    await store.send(.child(.addLater(2)))
    await clock.advance(by: .seconds(1))
    await store.receive(\.child, .add(2)) { $0.child.count = 3 }
  }

  @Test func `the child's effects end when its optional state becomes nil`() async {
    let store = parent(Parent.State(optional: Counter.State()))
    let task = await store.send(.optional(.startTicking))
    await store.send(.clear) { $0.optional = nil }
    await task.finish()
  }

  @Test func `an action for a removed child is reported with the feature and the action`()
    async
  {
    let store = parent()
    await withKnownIssue {
      await store.send(.optional(.increment))
    } matching: {
      "\($0)".contains("Counter got the action Action.increment without state")
    }
    await withKnownIssue {
      await store.send(.rows(.element(id: 4, action: .tick)))
    } matching: {
      "\($0)".contains("Counter got the action Action.tick without state")
    }
  }

  @Test func `each row runs its own reducer, and removing a row ends only its own effects`() async {
    let store = parent(Parent.State(rows: [Counter.State(id: 1), Counter.State(id: 2)]))
    let first = await store.send(.rows(.element(id: 1, action: .startTicking)))
    let second = await store.send(.rows(.element(id: 2, action: .startTicking)))
    await store.send(.removeRow(1)) { $0.rows[id: 1] = nil }
    await first.finish()
    await clock.advance(by: .seconds(1))
    await store.receive(\.rows[id: 2], .tick) { $0.rows[id: 2]?.count = 1 }
    await store.send(.rows(.element(id: 2, action: .stopTicking)))
    await second.finish()
  }

  @Test func `a presented feature dismisses itself, and the parent sees the feature's last state`()
    async
  {
    let store = parent(Parent.State(sheet: Counter.State(count: 7)))
    let ticking = await store.send(.sheet(.presented(.startTicking)))
    await store.send(.sheet(.presented(.close)))
    await store.receive(\.sheet.dismiss) {
      $0.sheet = nil
      $0.log = ["dismissed at 7"]
    }
    await ticking.finish()
  }

  @Test func `a canceled effect dismisses neither its own feature nor the next presented feature`()
    async
  {
    let store = parent(Parent.State(sheet: Counter.State()))
    let first = await store.send(.sheet(.presented(.closeLater)))
    await store.send(.present(Counter.State(id: 1))) { $0.sheet = Counter.State(id: 1) }
    await first.finish()
    #expect(store.state.sheet == Counter.State(id: 1))
    let second = await store.send(.sheet(.presented(.closeLater)))
    await store.send(.clear) { $0.sheet = nil }
    await second.finish()
    await store.finish()
  }

  @Test func `effects of a presented case end when the parent or the child sets another case`()
    async
  {
    let changes: [(same: Player.State, own: Player.State, parents: Player.State)] = [
      (.failed("b"), .paused, .stopped), (.failed("c"), .playing(1), .failed("b")),
    ]
    for (same, own, parents) in changes {
      let store = TestStore(initialState: Stage.State(player: .failed("a"))) {
        Stage()
      } withDependencies: {
        $0.continuousClock = clock
      }
      let ticking = await store.send(.player(.presented(.become(same)))) { $0.player = same }
      await clock.advance(by: .seconds(1))
      await store.receive(.player(.presented(.tick)))
      await store.send(.replace(parents)) { $0.player = parents }
      if parents != .failed("b") { await ticking.finish() }
      await store.send(.player(.presented(.become(own)))) { $0.player = own }
      await ticking.finish()
      await store.finish()
    }
  }

  @Test func `dismiss outside a presented feature is reported`() async {
    let store = Store(initialState: Counter.State()) { Counter() }
    await withKnownIssue {
      await store.send(.close).finish()
    } matching: {
      "\($0)".contains("dismiss() was called outside the effects of a presented feature")
    }
  }

  @Test func `dismiss can be replaced in a test`() async {
    let isDismissed = LockIsolated(false)
    let store = TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.dismiss = DismissEffect { isDismissed.setValue(true) }
    }
    await store.send(.close).finish()
    #expect(isDismissed.value)
  }

  @Test func `onChange runs when a value has changed`() async {
    struct Feature: Reducer {
      struct State: Equatable {
        var count = 0
        var changes: [Int] = []
      }
      enum Action { case add(Int) }
      var body: some ReducerOf<Self> {
        Reduce { state, action in
          if case .add(let number) = action { state.count += number }
          return .none
        }
        .onChange(of: \.count) { old, new in
          Reduce { state, _ in
            state.changes.append(new - old)
            return .none
          }
        }
      }
    }
    let store = TestStore(initialState: Feature.State()) { Feature() }
    await store.send(.add(0))
    await store.send(.add(3)) {
      $0.count = 3
      $0.changes = [3]
    }
  }

  @Test func `a dependency that is set on a reducer applies to the reducer and its effects`() async
  {
    let other = TestClock<Duration>()
    let store = TestStore(initialState: Counter.State()) {
      Counter().dependency(\.continuousClock, other)
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.addLater(1))
    await clock.advance(by: .seconds(1))
    await other.advance(by: .seconds(1))
    await store.receive(.add(1)) { $0.count = 1 }
  }

  @Test func `a dependency set on a reducer also applies while its body creates child reducers`()
    async
  {
    struct Child: Reducer {
      let id: String

      init() {
        @Dependency(\.uuid) var uuid
        id = String("\(uuid())".suffix(1))
      }

      func reduce(into state: inout [String], action: String) -> Effect<String> {
        state.append(id)
        return .none
      }
    }
    struct Feature: Reducer {
      var body: some Reducer<[String], String> { Child() }
    }
    let store = TestStore(initialState: [String]()) {
      Feature().dependency(\.uuid, UUIDGenerator.incrementing)
    }
    await store.send("a") { $0 = ["0"] }
  }

  @Test func `BindingReducer sets the property before the reducers that follow it run`() async {
    struct Form: Reducer {
      struct State: Equatable, Sendable {
        var name = ""
        var length = 0
      }
      enum Action: BindableAction, Equatable, Sendable {
        case binding(BindingAction<State>)
      }
      var body: some ReducerOf<Self> {
        BindingReducer()
        Reduce { state, action in
          if case .binding(let change) = action, change.keyPath == \State.name {
            state.length = state.name.count
          }
          return .none
        }
      }
    }
    let store = TestStore(initialState: Form.State()) { Form() }
    await store.send(.set(\.name, "memo")) {
      $0.name = "memo"
      $0.length = 4
    }
    #expect(Form.Action.set(\.name, "a") == .set(\.name, "a"))
    #expect(Form.Action.set(\.name, "a") != .set(\.name, "b"))
  }

  @Test func `a printer gets each action, and the state before and after it`() async {
    let changes = LockIsolated<[String]>([])
    let store = TestStore(initialState: Counter.State()) {
      Counter()._printChanges(
        _ReducerPrinter { action, old, new in
          changes.withValue { $0.append("\(action) \(old.count) \(new.count)") }
        })
    }
    await store.send(.increment) { $0.count = 1 }
    await store.send(.stopTicking)
    #expect(changes.value == ["increment 0 1", "stopTicking 1 1"])
  }

  @Test func `a change printer gets unequal states if only a shared value has changed`() async {
    struct State: Equatable {
      @Shared var count: Int
    }
    let changes = LockIsolated<[Bool]>([])
    let store = TestStore(initialState: State(count: Shared(value: 0))) {
      Reduce<State, Bool> { state, isChange in
        if isChange { state.$count.withLock { $0 += 1 } }
        return .none
      }
      ._printChanges(
        _ReducerPrinter { _, old, new in changes.withValue { $0.append(old != new) } })
    }
    await store.send(true) { $0.$count.withLock { $0 = 1 } }
    await store.send(false)
    #expect(changes.value == [true, false])
  }

  @Test
  func `ifCaseLet runs the child's reducer in the child's case, even for actions sent by effects`()
    async
  {
    let store = TestStore(initialState: Screen.State.counter(Counter.State())) {
      Screen()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.counter(.increment)) { $0.modify(\.counter) { $0.count = 1 } }
    await store.send(.counter(.addLater(2)))
    await clock.advance(by: .seconds(1))
    await store.receive(\.counter, .add(2)) { $0.modify(\.counter) { $0.count = 3 } }
  }

  @Test func `with ifCaseLet the child's effects end when the state changes to another case`() async
  {
    let store = TestStore(initialState: Screen.State.counter(Counter.State())) {
      SwitchingScreen()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let ticking = await store.send(.counter(.startTicking))
    await clock.advance(by: .seconds(1))
    await store.receive(\.counter, .tick) { $0.modify(\.counter) { $0.count = 1 } }
    await store.send(.show("end")) { $0 = .text("end") }
    await ticking.finish()
  }

  @Test(arguments: [false, true])
  func `a body may have conditions, loops, and combined reducers`(isDoubled: Bool) async {
    struct Feature: Reducer {
      let isDoubled: Bool
      let step: Int?

      func add(_ number: Int) -> some Reducer<Int, Int> {
        Reduce<Int, Int> { state, action in
          state += number * action
          return .none
        }
      }

      var body: some Reducer<Int, Int> {
        CombineReducers {
          if isDoubled { add(2) } else { add(1) }
          if let step { add(step) }
          EmptyReducer()
        }
        .onChange(of: \.self) { _, _ in add(1_000) }
        for number in [10, 20] { add(number) }
        switch step {
        case .some: add(100)
        case nil: EmptyReducer()
        }
      }
    }
    let store = TestStore(initialState: 0) { Feature(isDoubled: isDoubled, step: 5) }
    await store.send(1) { $0 = (isDoubled ? 7 : 6) + 1_000 + 30 + 100 }
    let other = TestStore(initialState: 0) { Feature(isDoubled: isDoubled, step: nil) }
    await other.send(1) { $0 = (isDoubled ? 2 : 1) + 1_000 + 30 }
  }

  @Test func `a dependency can be transformed for a reducer and its effects`() async {
    let store = TestStore(initialState: [String]()) {
      Reduce<[String], String> { state, action in
        @Dependency(\.uuid) var uuid
        state.append("\(uuid())".suffix(1) + action)
        return .none
      }
      .transformDependency(\.uuid) { $0 = .incrementing }
    }
    await store.send("a") { $0 = ["0a"] }
  }

  @Test func `a mapped effect sends its actions converted to the other type`() async {
    let store = TestStore(initialState: [String]()) {
      Reduce<[String], String> { state, action in
        guard action != "-" else {
          return Effect<Int>.merge(.send(1), .run { send in await send(2) }).map { "\($0)" }
        }
        state.append(action)
        return .none
      }
    }
    await store.send("-")
    await store.receive("1") { $0 = ["1"] }
    await store.receive("2") { $0 = ["1", "2"] }
  }
}

/// A player whose state is an enumeration, and that ticks in every state.
private struct Player: Reducer {
  enum State: Equatable, CasePathable {
    case stopped
    case paused
    case playing(Int)
    case failed(String)

    struct AllCasePaths: Sendable {}
    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  enum Action: Equatable, Sendable {
    case become(State)
    case tick
  }

  @Dependency(\.continuousClock) var clock

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    guard case .become(let next) = action else { return .none }
    state = next
    return .run { [clock] send in
      while true {
        try await clock.sleep(for: .seconds(1))
        await send(.tick)
      }
    }
  }
}

/// A parent that presents a player, and replaces its state.
private struct Stage: Reducer {
  struct State: Equatable {
    @PresentationState var player: Player.State?
  }

  enum Action: Equatable, Sendable, CasePathable {
    case player(PresentationAction<Player.Action>)
    case replace(Player.State)

    struct AllCasePaths: Sendable {
      var player: AnyCasePath<Action, PresentationAction<Player.Action>> {
        AnyCasePath(
          embed: { .player($0) },
          extract: { if case .player(let value) = $0 { value } else { nil } })
      }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .replace(let player) = action { state.player = player }
      return .none
    }
    .ifLet(\.$player, action: \.player) { Player() }
  }
}
