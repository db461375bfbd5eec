import ClientDependencies
import ReducersMacros
import Testing

@MainActor @Suite(.timeLimit(.minutes(5))) struct BindingTests {
  @Reducer
  fileprivate struct Settings {
    struct State: Equatable {
      var name = ""
      var isComplete = false
      var changes: [String] = []
    }

    enum Action: BindableAction, Equatable, Sendable {
      case binding(BindingAction<State>)
    }

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .binding(.set(\.name, "special")): state.changes.append("special")
        case .binding(\.name): state.changes.append("name")
        case .binding(\.isComplete): state.changes.append("isComplete")
        case .binding: break
        }
        return .none
      }
    }
  }

  @Reducer
  fileprivate struct Screen {
    struct State: Equatable {
      var name = ""
    }

    enum Action: ViewAction, Equatable, Sendable {
      case view(View)
      case saved

      @CasePathable
      enum View: BindableAction, Equatable, Sendable {
        case binding(BindingAction<State>)
        case save
      }
    }

    var body: some ReducerOf<Self> {
      BindingReducer(action: \.view)
      Reduce { _, action in action == .view(.save) ? .send(.saved) : .none }
    }
  }

  @ViewAction(for: Screen.self)
  @MainActor
  fileprivate struct ScreenView {
    let store: StoreOf<Screen>
  }

  @Test func `a binding action is matched by its property or by its value`() async {
    let store = TestStore(initialState: Settings.State()) { Settings() }
    await store.send(\.binding.name, "memo") {
      $0.name = "memo"
      $0.changes = ["name"]
    }
    await store.send(\.binding.isComplete, true) {
      $0.isComplete = true
      $0.changes = ["name", "isComplete"]
    }
    await store.send(.set(\.name, "special")) {
      $0.name = "special"
      $0.changes = ["name", "isComplete", "special"]
    }
  }

  @Test func `the case path of a binding matches only an action for its property`() {
    let action = Settings.Action.set(\.name, "memo")
    #expect(action[case: \.binding.name] == "memo")
    #expect(action[case: \.binding.isComplete] == nil)
    #expect(Settings.Action.set(\.name, "a") != .set(\.name, "b"))
  }

  @Test func `a screen can put its bindings into the view case of its action`() async {
    let store = TestStore(initialState: Screen.State()) { Screen() }
    await store.send(\.view.binding.name, "memo") { $0.name = "memo" }
    await store.send(\.view.save)
    await store.receive(\.saved)
    let view = ScreenView(store: Store(initialState: Screen.State()) { Screen() })
    view.send(.set(\.name, "memo"))
    #expect(view.store.name == "memo")
  }

  @Test func `onChange runs a closure on the state, and runs the effect that the closure returns`()
    async
  {
    let store = TestStore(initialState: Settings.State()) {
      Settings().onChange(of: \.name) { old, state in
        state.changes.append("\(old) -> \(state.name)")
        return state.name == "again" ? .send(.set(\.name, "last")) : .none
      }
    }
    await store.send(\.binding.name, "again") {
      $0.name = "again"
      $0.changes = ["name", " -> again"]
    }
    await store.receive(\.binding.name, "last") {
      $0.name = "last"
      $0.changes = ["name", " -> again", "name", "again -> last"]
    }
  }

  @Test func `onChange can compare values with a custom function`() async {
    let store = TestStore(initialState: [0, 0]) {
      Reduce<[Int], Int> { state, number in
        state[0] = number
        return .none
      }
      .onChange(of: { ($0[0] / 10, $0.count) }, removeDuplicates: ==) { old, new in
        Reduce { state, _ in
          state[1] = 100 * old.0 + new.0
          return .none
        }
      }
    }
    await store.send(9) { $0 = [9, 0] }
    await store.send(25) { $0 = [25, 2] }
    await store.send(21) { $0 = [21, 2] }
    await store.send(40) { $0 = [40, 204] }
  }

  @Test func `dependency(_:) sets a reducer's dependency whose key is the value's own type`() async
  {
    struct Greeter: TestDependencyKey, Sendable {
      var word = "none"
      static let testValue = Greeter()
    }
    let store = TestStore(initialState: "") {
      Reduce<String, Bool> { state, _ in
        @Dependency(Greeter.self) var greeter
        state = greeter.word
        return .none
      }
      .dependency(Greeter(word: "hello"))
    }
    await store.send(true) { $0 = "hello" }
  }
}
