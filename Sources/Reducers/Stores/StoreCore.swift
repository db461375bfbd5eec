import ClientDependencies
import Observation

/// The state, the reducer, and the effects of a store.
@MainActor
final class StoreCore<State, Action> {
  private(set) var state: State
  /// The dependencies of the reducer and of its effects.
  var dependencies: DependencyValues
  let changes = StoreChanges()
  /// Called after each action of an effect is reduced, before its own effects start.
  var whenReceived: (Action) -> Void = { _ in }
  private let reducer: PreparedReducer<State, Action>
  private lazy var runner = EffectRunner<Action> { [weak self] action, origin in
    self?.reduce(action, for: origin) { [weak self] in self?.whenReceived(action) }
  }
  private var waiting: [(action: Action, origin: EffectGroup, then: () -> Void)] = []
  private var isReducing = false

  init<R: Reducer<State, Action>>(
    _ initialState: () -> State, _ reducer: () -> R,
    _ prepareDependencies: (inout DependencyValues) -> Void
  ) {
    (state, self.reducer, dependencies) = withDependencies(prepareDependencies) {
      @Dependency(\.self) var values
      return (initialState(), reducer().prepared(), values)
    }
  }

  isolated deinit {
    runner.cancelAll()
    changes.finish()
  }

  var isBusy: Bool { runner.isBusy }

  func waitUntilIdle() async { await runner.waitUntilIdle() }

  func cancelEffects() { runner.cancelAll() }

  /// Reduces an action and starts its effects; while another action is being reduced, after it.
  func reduce(_ action: Action, for origin: EffectGroup, then: @escaping () -> Void = {}) {
    guard !isReducing else { return waiting.append((action, origin, then)) }
    isReducing = true
    defer { isReducing = false }
    reduceNow(action, for: origin, then: then)
    var index = 0
    while index < waiting.count {
      let (action, origin, then) = waiting[index]
      index += 1
      reduceNow(action, for: origin, then: then)
    }
    waiting = []
  }

  private func reduceNow(_ action: Action, for origin: EffectGroup, then: () -> Void) {
    let effect = changes.around {
      withDependencies {
        $0 = dependencies
      } operation: {
        reducer.reduce(into: &state, action: action)
      }
    }
    then()
    runner.run(effect, for: origin)
  }
}

/// Tells observers of a store and of its child stores that the state may have changed.
@MainActor
final class StoreChanges: Observable {
  private let registrar = ObservationRegistrar()
  private var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextID = 0
  /// What observers observe.
  private var state: Void { () }

  func access() { registrar.access(self, keyPath: \.state) }

  func around<Value>(_ change: () -> Value) -> Value {
    defer { for continuation in continuations.values { continuation.yield() } }
    return registrar.withMutation(of: self, keyPath: \.state, change)
  }

  func stream() -> AsyncStream<Void> {
    let (stream, continuation) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    let id = nextID
    nextID += 1
    continuations[id] = continuation
    continuation.onTermination = { [weak self] _ in
      Task { @MainActor in self?.continuations[id] = nil }
    }
    return stream
  }

  func finish() {
    for continuation in continuations.values { continuation.finish() }
  }
}
