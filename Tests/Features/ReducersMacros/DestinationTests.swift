import ClientDependencies
import ReducersMacros
import Testing

/// Presented features, stacks of features, and alerts.
@MainActor @Suite(.timeLimit(.minutes(5))) struct DestinationTests {
  @Reducer
  fileprivate struct Page {
    struct State: Equatable, Identifiable {
      var id = 0
      var isPresented: Bool?
    }

    enum Action: Sendable {
      case appeared, listen, heard, renumber
    }

    @Dependency(\.continuousClock) var clock
    @Dependency(\.isPresented) var isPresented

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .appeared: state.isPresented = isPresented
        case .heard: break
        case .renumber: state.id += 1
        case .listen:
          return .run { [clock] send in
            while true {
              try await clock.sleep(for: .seconds(1))
              await send(.heard)
            }
          }
        }
        return .none
      }
    }
  }

  @Reducer(state: .equatable)
  fileprivate enum Path {
    case page(Page)
    case notice(AlertState<Notice>)
    case blank
    @ReducerCaseIgnored
    case text(String)
    case titled(String, size: Int)
    case numbers([Int])
    #if os(Windows)
    case other(NoSuchFeature)
    #else
    case second(Page = Page())
    #endif

    @CasePathable
    enum Notice: Sendable { case understood }
  }

  @Reducer
  fileprivate struct App {
    struct State: Equatable {
      var path = StackState<Path.State>()
      @Presents var destination: Path.State?
      var alert: AlertState<Path.Notice>?
      var log: [String] = []
    }

    enum Action {
      case path(StackActionOf<Path>)
      case destination(PresentationAction<Path.Action>)
      case alert(Path.Notice)
      case tick
    }

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .destination(.presented(.notice(.understood))):
          state.log.append(state.destination == nil ? "closed" : "shown")
        case .alert: state.log.append(state.alert == nil ? "closed" : "shown")
        case .tick: state.log.append("tick")
        default: break
        }
        return .none
      }
      .forEach(\.path, action: \.path)
      .ifLet(\.$destination, action: \.destination)
      .ifLet(\.alert, action: \.alert)
    }
  }

  @Reducer(state: .equatable)
  fileprivate enum Inner {
    case page(Page)
  }

  @Reducer(state: .equatable)
  fileprivate enum Nested {
    case inner(Inner.Body = Inner.body)
  }

  /// A parent that changes the app's state without the app's reducer.
  @Reducer
  fileprivate struct Owner {
    struct State: Equatable { var app = App.State() }
    enum Action {
      case app(App.Action)
      case remove
      case nothing
    }

    var body: some ReducerOf<Self> {
      Scope(state: \.app, action: \.app) { App() }
      Reduce { state, action in
        if case .remove = action {
          state.app.destination = nil
          state.app.path.removeAll()
        }
        return .none
      }
    }
  }

  private let clock = TestClock<Duration>()
  private static let notice = AlertState<Path.Notice> {
    TextState("Saved")
  } actions: {
    ButtonState(action: .send(.understood)) { TextState("OK") }
  }

  private func app(_ state: App.State = App.State()) -> TestStoreOf<App> {
    TestStore(initialState: state) {
      App()
    } withDependencies: {
      $0.continuousClock = clock
    }
  }

  @Test func `a test asserts a push with the ID of the new element`() async {
    let store = app()
    await store.send(.path(.push(id: 0, state: .page(Page.State())))) {
      $0.path[id: 0] = .page(Page.State())
    }
    await store.send(\.path[id: 0].page.appeared) {
      $0.path[id: 0] = .page(Page.State(isPresented: true))
    }
    await store.send(.path(.push(id: 1, state: .second(Page.State())))) {
      $0.path[id: 1] = .second(Page.State())
    }
    await store.send(.path(.element(id: 1, action: .second(.renumber)))) {
      $0.path[id: 1] = .second(Page.State(id: 1))
    }
    await store.send(.path(.popFrom(id: 0))) { $0.path = [] }
  }

  @Test func `isPresented is true in a presented feature and false in a root feature`()
    async
  {
    let store = app(App.State(destination: .page(Page.State())))
    await store.send(\.destination.page.appeared) {
      $0.destination = .page(Page.State(isPresented: true))
    }
    let page = TestStore(initialState: Page.State()) { Page() }
    await page.send(.appeared) { $0.isPresented = false }
  }

  @Test func `a destination can contain other destinations`() async {
    let store = TestStore(initialState: Nested.State.inner(.page(Page.State()))) { Nested.body }
    await store.send(\.inner.page.renumber) { $0 = .inner(.page(Page.State(id: 1))) }
  }

  @Test func `an alert in a destination closes after its parent has handled the action`() async {
    let store = app(App.State(destination: .notice(Self.notice)))
    await store.send(\.destination.notice.understood) {
      $0.destination = nil
      $0.log = ["shown"]
    }
  }

  @Test func `an optional alert without a reducer is closed before its parent handles the action`()
    async
  {
    let store = app(App.State(alert: Self.notice))
    await store.send(\.alert.understood) {
      $0.alert = nil
      $0.log = ["closed"]
    }
  }

  @Test func `if a feature changes its own ID, its effects end`() async {
    let store = app(App.State(destination: .page(Page.State())))
    let listening = await store.send(\.destination.page.listen)
    await store.send(\.destination.page.renumber) { $0.destination = .page(Page.State(id: 1)) }
    await listening.finish()
  }

  @Test func `effects of a feature that another reducer removed end at the next action`() async {
    let state = App.State(path: [.page(Page.State())], destination: .page(Page.State()))
    let store = TestStore(initialState: Owner.State(app: state)) {
      Owner()
    } withDependencies: {
      $0.continuousClock = clock
    }
    let first = await store.send(\.app.destination.page.listen)
    let second = await store.send(\.app.path[id: 0].page.listen)
    await store.send(.remove) {
      $0.app.destination = nil
      $0.app.path = []
    }
    await store.send(\.app.tick) { $0.app.log = ["tick"] }
    await first.finish()
    await second.finish()
  }

  @Test
  func `the case subscript changes a presented state of that case, and reports a different case`() {
    var state = App.State(destination: .page(Page.State()))
    state.$destination[case: \.page]?.id += 1
    #expect(state.destination == .page(Page.State(id: 1)))
    withKnownIssue {
      state.$destination[case: \.second]?.id += 1
    } matching: {
      "\($0)".contains("[case: \\.second] was changed, but the presented state is State.page")
    }
    #expect(state.destination == .page(Page.State(id: 1)))
    state.$destination[case: \.page] = nil
    #expect(state.destination == nil)
  }

  @Test func `a presentation state equals its copy even if the presented values are never equal`() {
    struct Incomparable: Equatable {
      static func == (_: Self, _: Self) -> Bool { false }
    }
    let state = PresentationState(wrappedValue: Incomparable())
    let copy = state
    #expect(copy == state)
    #expect(PresentationState(wrappedValue: Incomparable()) != state)
  }

  @Test func `each case of an enumeration's state has a property with its associated value`() {
    var state = Path.State.page(Page.State(id: 7))
    #expect(state.page?.id == 7)
    state = .text("a")
    #expect(state.page == nil)
    #expect(state.text == "a")
    state = .titled("b", size: 3)
    #expect(state.titled?.size == 3)
    state = .numbers([1])
    #expect(state.numbers == [1])
    state = .blank
    #expect(state == .blank)
  }
}

/// Tests the declarations that `@Reducer` adds.
@MainActor @Suite struct FilledFeatureTests {
  @Reducer struct Empty {}
  @Reducer
  struct OnlyState { struct State: Equatable { var count = 0 } }
  @Reducer
  struct OnlyAction { enum Action { case tapped } }
  @Reducer
  struct Stored { let body = EmptyReducer<Int, Bool>() }
  @Reducer
  struct Alias { typealias State = Int }
  @Reducer
  struct Generic {
    var body: some Reducer<Int, Bool> {
      Reduce { state, action in
        state += action ? 1 : -1; return .none
      }
    }
  }
  @Reducer
  struct FeatureName {
    @Dependency(\.dismiss) var dismiss
    @Dependency(\.continuousClock) var clock
  }
  @Reducer enum NoDestination {}
  /// Compiles without a warning, although the destination has no actions.
  @Reducer enum EmptyDestination { case empty(Empty) }
  @Reducer
  struct Outer {
    struct State: Equatable { var count = 0 }
    enum Action { case increment }
    /// A nested feature that uses the `State` and `Action` of the outer feature.
    @Reducer
    struct Part {
      var body: some Reducer<State, Action> {
        Reduce { state, _ in
          state.count += 1; return .none
        }
      }
    }
    var body: some ReducerOf<Self> {
      Part()
      Part() as any ReducerOf<Part>
      Scope(state: \.self, action: \.self) { Part() }
    }
  }

  @Test func `a feature that declares no types and no body has an empty state and no actions`()
    async
  {
    #expect(Empty.State() == Empty.State())
    #expect(OnlyAction.Action.tapped.is(\.tapped))
    let store = TestStore(initialState: .init()) {
      FeatureName()
    } withDependencies: {
      $0.dismiss = DismissEffect {}
      $0.continuousClock = ImmediateClock()
    }
    #expect(store.state == FeatureName.State())
    #expect(Store(initialState: OnlyState.State(count: 2)) { OnlyState() }.count == 2)
    #expect(Store(initialState: 3) { Alias() }.state == 3)
    Store(initialState: 3) { Stored() }.send(true)
  }

  @Test func `the macro adds no State and Action if the body's type names other types`() async {
    let store = TestStore(initialState: 0) { Generic() }
    await store.send(true) { $0 = 1 }
  }

  @Test func `a nested feature without its own types uses those of the outer feature`() async {
    let store = TestStore(initialState: Outer.State()) { Outer() }
    await store.send(.increment) { $0.count = 3 }
  }
}
