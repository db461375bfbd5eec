import BenchmarkTools
import CMalloc
import ClientDependencies
import Glibc
import Reducers
import ReducersMacros

/// Measures what actions and effects cost, compared with bare function calls and tasks in the same
/// run.
///
/// ```sh
/// Tests/bench.sh ReducerBenchmarks --check
/// ```
///
/// With `--check` it exits with status 1 if a figure exceeds its bound.
@main
@MainActor
struct ReducerBenchmarks {
  static func main() async {
    // Limits `malloc` to a single arena, because `mallinfo2` reports no other.
    mallopt(M_ARENA_MAX, 1)
    var findings = [nested()]
    findings += await effects()
    findings += [rows()]
    findings += await cancellations()
    print(Finding.heading)
    for finding in findings { print(finding.text) }
    if findings.contains(where: \.isMissed), CommandLine.arguments.contains("--check") { exit(1) }
  }

  /// Returns the shortest time of several rounds, in seconds per repetition.
  private static func least(
    _ repetitions: Int, rounds: Int = 7, _ body: () -> Void
  ) -> Double {
    let times = (0..<rounds).map { _ in
      ContinuousClock().measure { for _ in 0..<repetitions { body() } }
    }
    return (times.min() ?? .zero) / .seconds(1) / Double(repetitions)
  }

  private static func nested() -> Finding {
    let store = Store(initialState: Fifth.State()) { Fifth() }
    let sent = least(20_000) { store.send(.child(.child(.child(.child(.increment))))) }
    let counter = Counter()
    var state = Counter.State()
    let bare = least(20_000) { _ = counter.reduce(into: &state, action: .increment) }
    return Finding(
      name: "an action through 5 levels, over the reducer's own call", value: (sent - bare) * 1e6,
      unit: "µs", bound: 1, remark: "\(Int(bare * 1e9)) ns for the call")
  }

  private static func effects() async -> [Finding] {
    let store = Store(initialState: Counter.State()) { Counter() }
    func time(_ body: () async -> Void) async -> Double {
      var times: [Duration] = []
      for _ in 0..<7 {
        let begin = ContinuousClock.now
        for _ in 0..<5_000 { await body() }
        times.append(begin.duration(to: .now))
      }
      return (times.min() ?? .zero) / .seconds(1) / 5_000
    }
    let effect = await time { await store.send(.runEffect).finish() }
    let task = await time { await Task.detached { await hop() }.value }
    return [
      Finding(
        name: "an effect from send to end, relative to a task with a hop", value: effect / task,
        unit: "×",
        bound: 3, remark: "\(Int(task * 1e9)) ns for a task and a hop to the main actor")
    ]
  }

  private static func hop() {}

  private static func rows() -> Finding {
    func time(_ count: Int) -> Double {
      let rows = IdentifiedArrayOf<Counter.State>(
        uniqueElements: (0..<count).map { Counter.State(id: $0) })
      let store = Store(initialState: Rows.State(rows: rows)) { Rows() }
      let children = store.scope(state: \.rows, action: \.rows).stores
      let row = children[count / 2]
      return withExtendedLifetime(children) { least(5_000) { row.send(.increment) } }
    }
    let (few, many) = (time(10), time(1_000))
    return Finding(
      name: "a change of one row of 1,000, relative to one of 10", value: many / few, unit: "×",
      bound: 1.5, remark: "\(Int(few * 1e9)) ns for one of 10")
  }

  private static func cancellations() async -> [Finding] {
    let store = Store(initialState: Counter.State()) { Counter() }
    func round() async {
      for _ in 0..<1_000 { store.send(.startForever) }
      await store.send(.cancel).finish()
      let task = store.send(.startForever)
      task.cancel()
      await task.finish()
    }
    var before = mallinfo2().uordblks
    // The runtime fills its caches only once, but a leak recurs in every repetition. The bound,
    // less than a byte per effect, only allows for the allocator's variation of some tens of KiB.
    var growths: [Double] = []
    for _ in 0..<4 {
      for _ in 0..<100 { await round() }
      let after = mallinfo2().uordblks
      growths.append(Double(after) - Double(before))
      before = after
    }
    let texts = growths.map { "\(Int($0 / 1_024))" }.joined(separator: ", ")
    return [
      Finding(
        name: "memory left by 100,000 effects started and canceled",
        value: max(0, growths.min() ?? 0) / 1_024, unit: "KiB", bound: 64,
        remark: "\(texts) KiB in four repetitions")
    ]
  }
}

struct Counter: Reducer {
  struct State: Identifiable {
    var id = 0
    var count = 0
  }

  enum Action: Sendable { case increment, runEffect, startForever, cancel }

  func reduce(into state: inout State, action: Action) -> Effect<Action> {
    switch action {
    case .increment:
      state.count += 1
      return .none
    case .runEffect: return .run { _ in await MainActor.run {} }
    case .startForever:
      return .run { _ in try await Task.never() }.cancellable(id: "forever")
    case .cancel: return .cancel(id: "forever")
    }
  }
}

@Reducer
struct Second {
  struct State { var child = Counter.State() }
  enum Action: Sendable { case child(Counter.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Counter() } }
}

@Reducer
struct Third {
  struct State { var child = Second.State() }
  enum Action: Sendable { case child(Second.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Second() } }
}

@Reducer
struct Fourth {
  struct State { var child = Third.State() }
  enum Action: Sendable { case child(Third.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Third() } }
}

@Reducer
struct Fifth {
  struct State { var child = Fourth.State() }
  enum Action: Sendable { case child(Fourth.Action) }
  var body: some ReducerOf<Self> { Scope(state: \.child, action: \.child) { Fourth() } }
}

@Reducer
struct Rows {
  struct State { var rows: IdentifiedArrayOf<Counter.State> }
  enum Action: Sendable { case rows(IdentifiedActionOf<Counter>) }
  var body: some ReducerOf<Self> { EmptyReducer().forEach(\.rows, action: \.rows) { Counter() } }
}
