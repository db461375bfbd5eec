import ReducersMacros
import TestTools
import Testing

@Suite struct CasePathableMacroTests {
  @CasePathable
  enum Event: Equatable {
    case stopped
    case level(Double)
    case named(label: String)
    case moved(from: Int, to: Int)
    indirect case nested(Event)
    indirect case same(Self)
    indirect case pair(id: Int, of: [Self])
    #if os(Windows)
    case other(NoSuchType)
    #else
    case linux(Int)
    #endif
  }

  @CasePathable
  enum Box<Content: Sendable> {
    case full(Content)
    case empty
  }

  @Test func `the value of a case is its associated value, a tuple, or nothing`() {
    #expect(Event.stopped.is(\.stopped))
    #expect(Event.level(0.5)[case: \.level] == 0.5)
    #expect(Event.named(label: "a")[case: \.named] == "a")
    #expect(Event.moved(from: 1, to: 2)[case: \.moved]?.to == 2)
    #expect(Event.linux(3)[case: \.linux] == 3)
    #expect(
      AnyCasePath<Event, (from: Int, to: Int)>(\.moved).embed((3, 4)) == .moved(from: 3, to: 4))
    #expect(AnyCasePath<Event, Void>(\.stopped).embed(()) == .stopped)
  }

  @Test func `case paths work in nested and generic enumerations`() {
    #expect(Event.nested(.level(1))[case: \.nested.level] == 1)
    #expect(Box.full(2)[case: \.full] == 2)
    #expect(Box<Int>.empty.is(\.empty))
  }

  @Test func `the type of an associated value may contain Self`() {
    #expect(Event.same(.stopped).is(\.same.stopped))
    #expect(Event.pair(id: 1, of: [.level(1)])[case: \.pair]?.of == [.level(1)])
  }

  @Test func `modify changes the value of a case`() {
    var event = Event.moved(from: 1, to: 2)
    event.modify(\.moved) { $0.to = 5 }
    #expect(event == .moved(from: 1, to: 5))
  }
}

@Suite struct PresentsMacroTests {
  struct Screen: Equatable {
    var title = ""
    @Presents var sheet: String?
    @Presents var popover: Optional<Int> = 4
  }

  @Test func `a @Presents property begins as nil or its initial value, and has a $ projection`() {
    var screen = Screen(title: "a", sheet: "b")
    #expect(screen.sheet == "b")
    #expect(screen.popover == 4)
    screen.sheet = nil
    #expect(screen.$sheet.wrappedValue == nil)
    #expect(Screen().sheet == nil)
    #expect(screen != Screen(title: "a", sheet: "b"))
  }
}

@Suite struct ReexportedMacrosTests {
  @DependencyClient
  struct Dice: Sendable {
    var roll: @Sendable (_ sides: Int) -> Int = { _ in 0 }
  }

  @Test func `a file with a client needs only one import for the macro`() {
    var dice = Dice()
    dice.roll = { $0 }
    #expect(dice.roll(sides: 6) == 6)
  }
}

@Suite struct DefaultIsolationTests {
  @Test func `features compile in a module that is on the main actor by default`() throws {
    let errors = try CompilerError.all(
      in: """
        import ReducersMacros

        @Reducer
        struct Page {
          struct State: Equatable, Identifiable { var id = 0 }
          enum Action: BindableAction { case binding(BindingAction<State>), close }
          @Dependency(\\.dismiss) var dismiss

          var body: some ReducerOf<Self> {
            BindingReducer()
            Reduce { _, action in
              action.is(\\.close) ? .run { [dismiss] _ in await dismiss() } : .none
            }
          }
        }

        @Reducer(state: .equatable)
        enum Path {
          case page(Page)
          case alert(AlertState<Never>)
        }

        @Reducer
        struct App {
          struct State: Equatable {
            @Presents var sheet: Path.State?
            var path = StackState<Path.State>()
            var page = Page.State()
            var pages: IdentifiedArrayOf<Page.State> = []
          }

          enum Action {
            case sheet(PresentationAction<Path.Action>)
            case path(StackActionOf<Path>)
            case page(Page.Action)
            case pages(IdentifiedActionOf<Page>)
          }

          nonisolated enum CancelID { case pages }

          var body: some ReducerOf<Self> {
            Scope(state: \\.page, action: \\.page) { Page() }
            Reduce { state, action in
              state.sheet = .page(Page.State())
              return .cancel(id: CancelID.pages)
            }
            .ifLet(\\.$sheet, action: \\.sheet)
            .forEach(\\.path, action: \\.path)
            .forEach(\\.pages, action: \\.pages) { Page() }
          }
        }

        func test() async {
          let store: TestStoreOf<App> = TestStore(initialState: App.State()) { App() }
          await store.send(\\.sheet.page.binding.id, 1) { $0.path[id: 0] = .page(Page.State()) }
        }
        """, options: ["-default-isolation", "MainActor"])
    #expect(errors.map(\.message) == [])
  }
}
