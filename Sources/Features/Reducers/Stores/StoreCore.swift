import ClientDependencies
internal import IssueReporting
import Observation

/// The state, the reducer, and the effects of a store.
@MainActor
final class StoreCore<State, Action> {
  /// The state.
  ///
  /// While an action is being reduced, reading it reports an issue and returns the initial state.
  ///
  /// The reducer changes the current state in place, because a second copy of the state would make
  /// each change of a collection copy that collection.
  var state: State {
    guard let action = reducedAction else { return current }
    report(
      """
      the store's state was read while its reducer handled \(summary(of: action)): read the \
      reducer's own 'state' instead. The initial state was returned.
      """)
    return initial
  }
  /// The dependencies of the reducer and of its effects.
  var dependencies: DependencyValues
  let changes = StoreChanges()
  /// Called when an effect's action has been reduced, before the resulting effects start.
  var whenReceived: (Action) -> Void = { _ in }
  private let initial: State
  private var current: State
  private let reducer: PreparedReducer<State, Action>
  private let site: CallSite
  private lazy var runner = EffectRunner<Action>(
    deliver: { [weak self] action, origin in
      self?.reduce(action, for: origin) { [weak self] in self?.whenReceived(action) }
    },
    reportLate: { [weak self] action, source in
      self?.report(
        """
        an effect sent an action after it had ended.

        Action:
        \(detail(of: action, indent: 2))

        Effect of:
        \(detail(of: source, indent: 2))

        An unstructured task used 'send': let 'run' wait for that task, so that the effect ends \
        after its last action.
        """)
    })
  private var waiting: [(action: Action, origin: EffectGroup, then: () -> Void)] = []
  private var isBusyReducing = false
  /// The action that the reducer currently handles.
  private var reducedAction: Action?

  init<R: Reducer<State, Action>>(
    _ initialState: () -> State, _ reducer: () -> R,
    _ prepareDependencies: (inout DependencyValues) -> Void, at site: CallSite
  ) {
    (initial, self.reducer, dependencies) = withDependencies(prepareDependencies) {
      @Dependency(\.self) var values
      return (initialState(), reducer().prepared(), values)
    }
    current = initial
    self.site = site
  }

  isolated deinit {
    runner.cancelAll()
    changes.finish()
  }

  var isBusy: Bool { runner.isBusy }
  var isIdle: Bool { runner.isIdle }

  func waitUntilIdle() async { await runner.waitUntilIdle() }

  func cancelEffects() { runner.cancelAll() }

  /// Stops waiting for the running effects; they continue, and their actions still arrive.
  func ignoreEffects() { runner.ignoreAll() }

  /// Sets the closure to call when an effect of this feature dismisses the feature.
  ///
  /// Without this closure, a dismissal is reported as an issue.
  func whenDismissed(_ action: @escaping @MainActor @Sendable () -> Void) {
    runner.dismissRoot = action
  }

  /// Runs an operation with the dependencies of the reducer.
  func withItsDependencies<Value>(_ operation: () throws -> Value) rethrows -> Value {
    try withDependencies {
      $0 = dependencies
    } operation: {
      try operation()
    }
  }

  /// Reduces an action and starts its effects; an action sent meanwhile is queued.
  func reduce(_ action: Action, for origin: EffectGroup, then: @escaping () -> Void = {}) {
    guard !isBusyReducing else { return waiting.append((action, origin, then)) }
    isBusyReducing = true
    defer { isBusyReducing = false }
    reduceNow(action, for: origin, then: then)
    var index = 0
    while index < waiting.count {
      let (next, origin, then) = waiting[index]
      index += 1
      if index == 200_000 {
        report(
          """
          200,000 actions followed from \(summary(of: action)), the last of them \
          \(summary(of: next)): the reducer keeps sending itself actions. The pending actions were \
          dropped.
          """)
        break
      }
      reduceNow(next, for: origin, then: then)
    }
    // This does not use `isEmpty`, whose lookup of a tuple type would take a tenth of the time of
    // an action.
    if index > 0 { waiting = [] }
  }

  private func reduceNow(_ action: Action, for origin: EffectGroup, then: () -> Void) {
    guard isTesting else { return reduceAndRun(action, for: origin, then: then) }
    NamingReporter.run(for: "\(reducer.type), \(summary(of: action))") {
      reduceAndRun(action, for: origin, then: then)
    }
  }

  private func reduceAndRun(_ action: Action, for origin: EffectGroup, then: () -> Void) {
    var effect = Effect<Action>.none
    reducedAction = action
    withItsDependencies { effect = reducer.reduce(into: &current, action: action) }
    reducedAction = nil
    changes.report()
    then()
    runner.run(effect, of: action, for: origin)
  }

  private func report(_ message: String) { site.report("\(reducer.type): \(message)") }
}

/// Notifies observers of a store and of its child stores of changes.
@MainActor
final class StoreChanges {
  /// The observed values by the key paths from the root store.
  private var observed: [[AnyKeyPath]: ObservedValue] = [:]
  private var continuations: [Int: AsyncStream<Void>.Continuation] = [:]
  private var nextID = 0

  /// The number of values to read again after the next action.
  var observedCount: Int { observed.count }

  /// Records that the whole state is read.
  func accessAll() { access([]) { true } }

  /// Records that a value is read.
  ///
  /// `hasChanged` returns whether the value has changed, and is called after each action until it
  /// returns true.
  func access(_ place: [AnyKeyPath], hasChanged: @escaping () -> Bool) {
    if let value = observed[place] { return value.access() }
    let value = ObservedValue(hasChanged)
    observed[place] = value
    value.access()
  }

  /// Notifies the observers of changed values, once each, like the Observation module.
  func report() {
    if !observed.isEmpty {
      let changed = observed.filter { $0.value.hasChanged() }
      for place in changed.keys { observed[place] = nil }
      for value in changed.values { value.report() }
    }
    for continuation in continuations.values { continuation.yield() }
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

/// A value of the state that was read and may be observed.
@MainActor
private final class ObservedValue: Observable {
  let hasChanged: () -> Bool
  private let registrar = ObservationRegistrar()
  /// The property for which observers are registered.
  private var value: Void { () }

  init(_ hasChanged: @escaping () -> Bool) {
    self.hasChanged = hasChanged
  }

  func access() { registrar.access(self, keyPath: \.value) }

  func report() { registrar.withMutation(of: self, keyPath: \.value) {} }
}

/// Adds the feature and the action to each issue of a test.
///
/// Otherwise, an issue about a dependency that the test did not override would not show which
/// reducer read it.
private struct NamingReporter: IssueReporter {
  private let name: String
  private let reporters: [any IssueReporter]

  /// Runs `operation`, which reduces an action and starts its effects.
  ///
  /// Issues that `operation` or the effects' tasks report contain `name`.
  static func run(for name: String, _ operation: () -> Void) {
    // A surrounding `NamingReporter` is replaced. An issue in an effect's action then contains only
    // the name of that action, not the name of the action that started the effect.
    let reporters =
      (IssueReporters.current.first as? Self)?.reporters ?? IssueReporters.current
    withIssueReporters([Self(name: name, reporters: reporters)], operation: operation)
  }

  func reportIssue(
    _ message: @autoclosure () -> String?, severity: IssueSeverity, fileID: StaticString,
    filePath: StaticString, line: UInt, column: UInt
  ) {
    let text = message().map { "\(name): \($0)" } ?? name
    for reporter in reporters {
      reporter.reportIssue(
        text, severity: severity, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }
}
