import ClientDependencies
import Reducers

/// A counter that can load a number and tick.
struct Counter: Reducer {
  struct State: Equatable, Identifiable {
    var id = 0
    var count = 0
  }

  enum Action: Equatable, Sendable {
    case increment
    case addLater(Int)
    case add(Int)
    case startTicking
    case tick
    case stopTicking
    case close
    case closeLater
  }

  enum CancelID { case ticking }

  @Dependency(\.continuousClock) var clock
  @Dependency(\.dismiss) var dismiss

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .increment, .tick:
      state.count += 1
      return .none
    case .add(let number):
      state.count += number
      return .none
    case .addLater(let number):
      return .run { [clock] send in
        try await clock.sleep(for: .seconds(1))
        await send(.add(number))
      }
    case .startTicking:
      return .run { [clock] send in
        while true {
          try await clock.sleep(for: .seconds(1))
          await send(.tick)
        }
      }
      .cancellable(id: CancelID.ticking, cancelInFlight: true)
    case .stopTicking:
      return .cancel(id: CancelID.ticking)
    case .close:
      return .run { [dismiss] _ in await dismiss() }
    case .closeLater:
      return .run { [clock, dismiss] _ in
        // With `try?`, the effect continues even if the sleep is canceled.
        try? await clock.sleep(for: .seconds(1))
        await dismiss()
      }
    }
  }
}

/// A parent with a counter, a presented counter, and rows of counters.
struct Parent: Reducer {
  struct State: Equatable {
    var child = Counter.State()
    var optional: Counter.State?
    var rows: IdentifiedArrayOf<Counter.State> = []
    var log: [String] = []
    @PresentationState var sheet: Counter.State?
  }

  enum Action: Equatable, Sendable, CasePathable {
    case child(Counter.Action)
    case optional(Counter.Action)
    case rows(IdentifiedActionOf<Counter>)
    case sheet(PresentationAction<Counter.Action>)
    case clear
    case present(Counter.State)
    case removeRow(Int)

    struct AllCasePaths: Sendable {
      var child: AnyCasePath<Action, Counter.Action> {
        AnyCasePath(
          embed: { .child($0) }, extract: { if case .child(let value) = $0 { value } else { nil } })
      }
      var optional: AnyCasePath<Action, Counter.Action> {
        AnyCasePath(
          embed: { .optional($0) },
          extract: { if case .optional(let value) = $0 { value } else { nil } })
      }
      var rows: AnyCasePath<Action, IdentifiedActionOf<Counter>> {
        AnyCasePath(
          embed: { .rows($0) }, extract: { if case .rows(let value) = $0 { value } else { nil } })
      }
      var sheet: AnyCasePath<Action, PresentationAction<Counter.Action>> {
        AnyCasePath(
          embed: { .sheet($0) }, extract: { if case .sheet(let value) = $0 { value } else { nil } })
      }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.child, action: \.child) { Counter() }
    Reduce { state, action in
      switch action {
      case .clear:
        state.optional = nil
        state.sheet = nil
        return .none
      case .present(let sheet):
        state.sheet = sheet
        return .none
      case .removeRow(let id):
        state.rows.remove(id: id)
        return .none
      case .sheet(.dismiss):
        state.log.append("dismissed at \(state.sheet?.count ?? -1)")
        return .none
      default: return .none
      }
    }
    .ifLet(\.optional, action: \.optional) { Counter() }
    .ifLet(\.$sheet, action: \.sheet) { Counter() }
    .forEach(\.rows, action: \.rows) { Counter() }
  }
}

/// A screen that shows a counter or a text.
struct Screen: Reducer {
  enum State: Equatable, CasePathable {
    case counter(Counter.State)
    case text(String)

    struct AllCasePaths: Sendable {
      var counter: AnyCasePath<State, Counter.State> {
        AnyCasePath(
          embed: { .counter($0) },
          extract: { if case .counter(let value) = $0 { value } else { nil } })
      }
      var text: AnyCasePath<State, String> {
        AnyCasePath(
          embed: { .text($0) }, extract: { if case .text(let value) = $0 { value } else { nil } })
      }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  enum Action: Equatable, Sendable, CasePathable {
    case counter(Counter.Action)
    case show(String)

    struct AllCasePaths: Sendable {
      var counter: AnyCasePath<Action, Counter.Action> {
        AnyCasePath(
          embed: { .counter($0) },
          extract: { if case .counter(let value) = $0 { value } else { nil } })
      }
    }

    static var allCasePaths: AllCasePaths { AllCasePaths() }
  }

  var body: some ReducerOf<Self> {
    Scope(state: \.counter, action: \.counter) { Counter() }
    Reduce { state, action in
      if case .show(let text) = action { state = .text(text) }
      return .none
    }
  }
}

/// A feature like `Screen`, but the counter's effects end when the text is shown.
struct SwitchingScreen: Reducer {
  typealias State = Screen.State
  typealias Action = Screen.Action

  var body: some ReducerOf<Self> {
    Reduce { state, action in
      if case .show(let text) = action { state = .text(text) }
      return .none
    }
    .ifCaseLet(\.counter, action: \.counter) { Counter() }
  }
}
