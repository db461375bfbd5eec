import ClientDependencies
import Foundation
import ReducersMacros
import TestTools
import Testing

/// The texts of failures, compared with a file: a review shows each change.
///
/// `SYRINX_WRITE_GOLDEN=1` writes the file instead.
@MainActor @Suite(.timeLimit(.minutes(5))) struct FailureMessageTests {
  @Reducer
  struct Row {
    struct State: Equatable, Identifiable {
      let id: Int
      var title = ""
    }
    enum Action: Equatable, Sendable { case rename(String), close }

    @Dependency(\.dismiss) var dismiss

    var body: some ReducerOf<Self> {
      Reduce { state, action in
        switch action {
        case .rename(let title):
          state.title = title
          return .none
        case .close: return .run { [dismiss] _ in await dismiss() }
        }
      }
    }
  }

  @Reducer(state: .equatable, action: .equatable)
  enum Sheet {
    case row(Row)
    case alert(AlertState<Alert>)

    @CasePathable
    enum Alert: Equatable, Sendable { case delete(id: Int) }
  }

  @Reducer
  struct List {
    struct State: Equatable {
      var rows: IdentifiedArrayOf<Row.State> = []
      var path = StackState<Row.State>()
      var only: Row.State?
      var title = "List"
      var message: TextState?
      @Presents var sheet: Sheet.State?
    }

    enum Action: BindableAction, Equatable, Sendable {
      case binding(BindingAction<State>)
      case rows(IdentifiedActionOf<Row>)
      case path(StackActionOf<Row>)
      case only(Row.Action)
      case sheet(PresentationAction<Sheet.Action>)
      case load
      case loaded([String], total: Int)
      case wait
      case fail
      case ask
    }

    @Dependency(\.continuousClock) var clock

    var body: some ReducerOf<Self> {
      BindingReducer()
      Reduce { state, action in
        switch action {
        case .load: return .merge(.send(.loaded(["a", "b"], total: 2)), .send(.ask))
        case .loaded(let titles, _):
          for title in titles { state.rows.append(Row.State(id: state.rows.count, title: title)) }
          return .none
        case .wait: return .run { [clock] _ in try await clock.sleep(for: .seconds(60)) }
        case .fail:
          struct Offline: Error {}
          return .run(name: "fetch") { _ in throw Offline() }
        case .ask:
          state.message = TextState("Delete?")
          state.sheet = .alert(
            AlertState {
              TextState("Delete?")
            } actions: {
              ButtonState(role: .destructive, action: .delete(id: 1)) { TextState("Delete") }
            })
          return .none
        default: return .none
        }
      }
      .forEach(\.rows, action: \.rows) { Row() }
      .forEach(\.path, action: \.path) { Row() }
      .ifLet(\.only, action: \.only) { Row() }
      .ifLet(\.$sheet, action: \.sheet)
    }
  }

  private typealias TestedStore = TestStore<List.State, List.Action>

  private func store(_ state: List.State = List.State()) -> TestedStore {
    TestStore(initialState: state) {
      List()
    } withDependencies: {
      $0.continuousClock = TestClock()
    }
  }

  private var full: List.State {
    List.State(rows: [Row.State(id: 1)], path: [Row.State(id: 2)], sheet: .row(Row.State(id: 3)))
  }

  /// The ways in which a test can fail, each with the name of its mistake.
  private var failures: [(name: String, run: @MainActor () async -> Void)] {
    [
      ("wrong value", { await self.store().send(\.binding.title, "a") { $0.title = "b" } }),
      ("unstated change", { await self.store().send(\.binding.title, "a") }),
      ("needless closure", { await self.store().send(\.binding.title, "List") { _ in } }),
      ("throwing closure", { await self.store().send(.wait) { _ in throw CancellationError() } }),
      (
        "wrong element",
        {
          await self.store(self.full).send(\.rows[id: 1].rename, "a") {
            $0.rows[id: 1]?.title = "b"
          }
        }
      ),
      (
        "wrong element of a stack",
        {
          await self.store(self.full).send(\.path[id: 0].rename, "a") {
            $0.path[id: 0]?.title = "b"
          }
        }
      ),
      (
        "missing push",
        { await self.store().send(.path(.push(id: 0, state: Row.State(id: 7)))) }
      ),
      ("missing pop", { await self.store(self.full).send(.path(.popFrom(id: 0))) }),
      ("missing dismissal", { await self.store(self.full).send(.sheet(.dismiss)) }),
      ("missing alert", { await self.store().send(.ask) { $0.message = TextState("Sure?") } }),
      (
        "wrong presented value",
        {
          await self.store(self.full).send(\.sheet.row.rename, "a") {
            $0.sheet = .row(Row.State(id: 3, title: "b"))
          }
        }
      ),
      (
        "missing receive",
        {
          let store = self.store()
          await store.send(.load)
          await store.send(.fail).finish()
          store.exhaustivity = .off
        }
      ),
      ("missing receive at the end", { await self.store().send(.load) }),
      (
        "missing receive before finish",
        {
          let store = self.store()
          await store.send(.load)
          await store.finish()
          store.exhaustivity = .off
        }
      ),
      (
        "wrong action",
        {
          let store = self.store()
          await store.send(.load)
          await store.receive(.ask)
          store.exhaustivity = .off
        }
      ),
      (
        "wrong value of an action",
        {
          let store = self.store()
          await store.send(.load)
          await store.receive(.loaded(["a"], total: 2))
          store.exhaustivity = .off
        }
      ),
      (
        "wrong case",
        {
          let store = self.store()
          await store.send(.load)
          await store.receive(\.sheet.alert.delete)
          store.exhaustivity = .off
        }
      ),
      (
        "unmet condition",
        {
          let store = self.store()
          await store.send(.load)
          await store.receive { $0 == .ask }
          store.exhaustivity = .off
        }
      ),
      ("no action", { await self.store().receive(.ask) }),
      ("no action of a case", { await self.store().receive(\.rows[id: 1].rename) }),
      (
        "no such action among others",
        {
          let store = self.store()
          store.exhaustivity = .off
          await store.send(.load)
          await store.receive(\.sheet.dismiss)
        }
      ),
      (
        "action too late",
        {
          let store = self.store()
          await store.send(.wait)
          await store.receive(.ask, timeout: .zero)
          store.exhaustivity = .off
        }
      ),
      ("running effect", { await self.store().send(.wait) }),
      (
        "running effect at finish",
        {
          let store = self.store()
          await store.send(.wait)
          await store.finish(timeout: .zero)
          store.exhaustivity = .off
        }
      ),
      (
        "running effects of an action",
        {
          let store = self.store()
          await store.send(.wait).finish(timeout: .zero)
          store.exhaustivity = .off
        }
      ),
      (
        "unhandled error",
        {
          // The variable keeps the store alive until its effect has ended.
          let store = self.store()
          await store.send(.fail).finish()
          await store.finish()
        }
      ),
      ("nothing to skip", { await self.store().skipReceivedActions() }),
      ("no effect to skip", { await self.store().skipInFlightEffects() }),
      ("wrong assertion", { self.store().assert { $0.title = "b" } }),
      ("action without state", { await self.store().send(\.only.rename, "a") }),
      ("action without an element", { await self.store().send(\.rows[id: 4].rename, "a") }),
      ("action without presentation", { await self.store().send(\.sheet.row.rename, "a") }),
      ("dismissal without presentation", { await self.store().send(.sheet(.dismiss)) }),
      ("action without an element of a stack", { await self.store().send(\.path[id: 4].close) }),
      ("pop of no element", { await self.store().send(.path(.popFrom(id: 4))) }),
      (
        "used ID",
        { await self.store(self.full).send(.path(.push(id: 0, state: Row.State(id: 9)))) }
      ),
      (
        "action after dismissal",
        {
          let store = TestStore(initialState: Row.State(id: 1)) { Row() }
          await store.send(.close).finish()
          await store.send(.rename("a"))
        }
      ),
      (
        "dismissal of a root",
        {
          let store = StoreOf<Row>(initialState: Row.State(id: 1)) { Row() }
          await store.send(.close).finish()
          withExtendedLifetime(store) {}
        }
      ),
    ]
  }

  @Test func `the texts of failures equal their golden file`() async throws {
    var text = ""
    for failure in failures {
      let issues = LockIsolated<[String]>([])
      await withKnownIssue {
        await failure.run()
      } matching: { issue in
        issues.withValue { $0.append(issue.comments.map(\.rawValue).joined(separator: "\n")) }
        return true
      }
      // Effects report in parallel with the test store, so the reports are sorted.
      let reports = issues.value.sorted().joined(separator: "\n\n")
      text += "# \(failure.name)\n\n\(reports)\n\n"
    }
    // An address would differ in each run.
    #expect(!text.contains("0x"))
    let file = Checkout.file("Tests/Fixtures/FailureMessages.txt")
    if ProcessInfo.processInfo.environment["SYRINX_WRITE_GOLDEN"] == "1" {
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    let lines = text.split(separator: "\n")
    let expected = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let changes = lines.difference(from: expected).map { "\($0)" }
    #expect(
      changes == [],
      """
      To accept the changes: SYRINX_WRITE_GOLDEN=1 swift test --traits Development --filter \
      FailureMessageTests
      """)
  }
}
