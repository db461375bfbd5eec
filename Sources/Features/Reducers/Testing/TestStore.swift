public import ClientDependencies
import CustomDump

/// A store for tests.
///
/// The test asserts how each action changes the state, and which actions the effects send.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() }
/// await store.send(.increment) { $0.count = 1 }
/// ```
///
/// A failure is an issue at the line of the assertion, with the difference between the expected and
/// the actual state. When the store is released, unreceived actions and running effects are
/// reported as issues at the line that created the store.
@MainActor
public final class TestStore<State: Equatable, Action> {
  struct Received {
    let action: Action
    let state: State
    let shared: SharedChanges
  }

  /// The state that the test expects: in a closure, before the closure's changes; elsewhere, after
  /// all actions so far.
  public internal(set) var state: State
  /// Whether an effect has dismissed the feature; later actions are reported as issues.
  public private(set) var isDismissed = false
  /// Whether the test must assert all behavior.
  public var exhaustivity = Exhaustivity.on
  /// The time limit of `receive` and `finish` if they have no limit of their own.
  public var timeout = Duration.seconds(1)
  /// The clock for time limits; by default real time.
  public var timeoutClock: any Clock<Duration> = ContinuousClock()
  /// The dependencies of the feature and its effects; changes apply to later actions.
  public var dependencies: DependencyValues {
    get { core.dependencies }
    set { core.dependencies = newValue }
  }

  #if !PointFreeDependencies
  /// Whether all tasks of the process run on the main thread, one after another, in the order in
  /// which they start.
  ///
  /// When the store is released, the earlier value is restored. Set this property only in tests
  /// that run alone.
  public var useMainSerialExecutor: Bool {
    get { uncheckedUseMainSerialExecutor }
    set {
      executorBefore = executorBefore ?? uncheckedUseMainSerialExecutor
      uncheckedUseMainSerialExecutor = newValue
    }
  }
  private var executorBefore: Bool?
  #endif

  let core: StoreCore<State, Action>
  var received: [Received] = []
  let arrivals = Arrivals()
  /// The changes of shared values since the last action.
  private let shared = SharedChanges()
  private let site: CallSite
  private let origin = IssueOrigin.current

  /// Creates a test store for a feature.
  public init(
    initialState: @autoclosure () -> State, reducer: () -> some Reducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    core = StoreCore(
      initialState, reducer,
      { [shared] values in
        prepareDependencies(&values)
        values[SharedChanges.self] = shared
      }, at: site)
    state = core.state
    core.whenReceived = { [weak self] action in
      guard let self else { return }
      received.append(Received(action: action, state: core.state, shared: shared.take()))
      arrivals.note()
    }
    core.whenDismissed { [weak self] in
      self?.isDismissed = true
      self?.core.cancelEffects()
    }
  }

  /// Creates a test store for several reducers, which run in this order.
  @_disfavoredOverload
  public convenience init(
    initialState: @autoclosure () -> State,
    @ReducerBuilder<State, Action> reducer: () -> PreparedReducer<State, Action>,
    withDependencies prepareDependencies: (inout DependencyValues) -> Void = { _ in },
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) {
    // This overload is disfavored, because the initializer that it calls can also infer the type of
    // an initial state that is written as `.init()`.
    self.init(
      initialState: initialState(), reducer: reducer, withDependencies: prepareDependencies,
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  isolated deinit {
    if exhaustivity == .on {
      if !received.isEmpty {
        report(
          "the test ended without receiving \(list(of: received))\n\n\(unreceivedAdvice)", at: site)
      }
      if core.isBusy {
        report(
          """
          an effect was still running when the test ended: cancel it, await the task of `send`, \
          or call finish() or skipInFlightEffects()
          """, at: site)
      }
      for difference in shared.take().unstated {
        report("the test ended without asserting the change of \(difference)", at: site)
      }
    }
    core.cancelEffects()
    #if !PointFreeDependencies
    if let executorBefore { uncheckedUseMainSerialExecutor = executorBefore }
    #endif
  }

  /// Sends an action, and expects that the closure changes the state as the reducer does.
  ///
  /// All actions that effects have sent must have been received first.
  ///
  /// - Parameters:
  ///   - action: the action to send.
  ///   - expected: turns the state before the action into the state after the action; nil if the
  ///     state must not change.
  /// - Returns: the effects of the action.
  @discardableResult
  public func send(
    _ action: Action, assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let name = "send(\(summary(of: action)))"
    let group = EffectGroup()
    let task = TestStoreTask(group: group, timeout: timeout, clock: timeoutClock)
    guard !isDismissed else {
      report("\(name): the feature has dismissed itself, so it gets no more actions", at: site)
      return task
    }
    if !received.isEmpty {
      note("\(name) before receiving \(list(of: received))\n\n\(unreceivedAdvice)", at: site)
      if exhaustivity != .on { (received, state) = ([], core.state) }
    }
    var (after, changes) = (state, SharedChanges?.none)
    core.reduce(action, for: group) { (after, changes) = (self.core.state, self.shared.take()) }
    check(to: after, shared: changes, expected, name, at: site)
    await letEffectsRun()
    return task
  }

  /// Checks values of the current state: the closure assigns expected values, which must not change
  /// the state.
  public func assert(
    _ expected: @escaping (inout State) throws -> Void, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) {
    check(
      to: state, expected, "assert", mayChangeNothing: true,
      at: CallSite(fileID: fileID, filePath: filePath, line: line, column: column))
  }

  /// Waits for the end of all effects; effects that exceed the limit are reported as an issue.
  ///
  /// Actions that effects sent but the test did not receive are also reported as an issue.
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if exhaustivity == .on, !received.isEmpty {
      report("finish() before receiving \(list(of: received))\n\n\(unreceivedAdvice)", at: site)
    }
    let limit = timeout ?? self.timeout
    let hasFinished = await finishes(within: limit, timeoutClock) {
      await self.core.waitUntilIdle()
    }
    if !hasFinished, core.isBusy {
      report("an effect was still running after \(limit). \(unfinishedAdvice)", at: site)
    }
  }

  /// Skips the actions that effects have sent so far.
  ///
  /// - Parameter strict: whether to report an issue if there are none.
  public func skipReceivedActions(
    strict: Bool = true, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await letEffectsRun()
    if received.isEmpty, strict {
      report(
        "there is no received action to skip; remove the call, or pass strict: false", at: site)
    }
    (received, state) = ([], core.state)
  }

  /// Stops waiting for the running effects to end; they continue, and their actions still arrive.
  ///
  /// - Parameter strict: whether to report an issue if there are none.
  public func skipInFlightEffects(
    strict: Bool = true, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    await letEffectsRun()
    if core.isIdle, strict {
      report(
        "there is no running effect to skip; remove the call, or pass strict: false", at: site)
    }
    core.ignoreEffects()
  }

  /// Changes dependencies for an operation and the actions sent in it.
  public func withDependencies<Value>(
    _ update: (inout DependencyValues) -> Void, operation: () async throws -> Value
  ) async rethrows -> Value {
    let before = dependencies
    update(&dependencies)
    defer { dependencies = before }
    return try await operation()
  }

  /// Lets other tasks run briefly, so that an effect that has finished its work can end.
  func letEffectsRun() async {
    if !core.isIdle { await Task.megaYield() }
  }

  /// Compares the changes of the state and of shared values with the test's expectations, and
  /// stores `after` as the expected state.
  ///
  /// `changes` contains the changes of shared values; nil means all changes since the last action.
  /// If `mayChangeNothing` is true, the closure need not change the state.
  func check(
    to after: State, shared changes: SharedChanges? = nil,
    _ expectation: ((inout State) throws -> Void)?, _ name: String, mayChangeNothing: Bool = false,
    at site: CallSite
  ) {
    let changes = changes ?? shared.take()
    if exhaustivity != .on { changes.expectActual() }
    let isAsExpected = changes.assert {
      // Comparing the state with itself records its shared values as compared. The comparison
      // below may stop at the first difference, before it has reached all of them.
      if !changes.isEmpty { _ = SharedChanges.actual { after == after } }
      return compare(
        to: after, expectation, name, mayChangeNothing: mayChangeNothing || !changes.isEmpty,
        at: site)
    }
    // If the state differs, its report may already contain the differences of shared values, so
    // do not report them again.
    guard isAsExpected else { return }
    for difference in changes.unstated {
      report("\(name): the closure does not expect the change of \(difference)", at: site)
    }
  }

  /// Compares the state after an action with the test's expectation, and reports a difference;
  /// returns true if there is none.
  private func compare(
    to after: State, _ expectation: ((inout State) throws -> Void)?, _ name: String,
    mayChangeNothing: Bool, at site: CallSite
  ) -> Bool {
    let before = state
    defer { state = after }
    var expected = exhaustivity == .on ? before : after
    do {
      if let expectation { try core.withItsDependencies { try expectation(&expected) } }
    } catch {
      report("\(name): the closure threw \(error)", at: site)
      return false
    }
    if expectation != nil, exhaustivity == .on, !mayChangeNothing, expected == before,
      before == after
    {
      report(
        "\(name): the state did not change, and the closure expects no change; remove the closure",
        at: site)
      return false
    }
    guard expected != after else { return true }
    let advice =
      expectation == nil ? ": it changed, and no closure states the change" : ""
    let difference = diff(expected, after, format: .proportional)
    report(
      "\(name): the state is not as expected\(advice)"
        + (difference.map { "\n\n\($0)\n\n(expected: -, actual: +)" }
          ?? "; both print the same, but == says they differ:\n\n\(detail(of: after, indent: 2))"),
      at: site)
    return false
  }

  /// The number of actions, and the actions with their values.
  func list(of received: [Received]) -> String {
    let actions = received.map { "  " + detail(of: $0.action).indented }.joined(separator: "\n")
    return "\(received.count) action\(received.count == 1 ? "" : "s"):\n\n\(actions)"
  }

  /// Reports an issue if the store is exhaustive; otherwise prints the message if requested.
  func note(_ message: String, at site: CallSite) {
    switch exhaustivity {
    case .on: report(message, at: site)
    case .off(showSkippedAssertions: true): print("\(site.fileID):\(site.line): \(message)")
    case .off: break
    }
  }

  func report(_ message: String, at site: CallSite) {
    origin.reportIssue(
      message, fileID: site.fileID, filePath: site.filePath, line: site.line, column: site.column)
  }
}

/// The test store of a feature: `TestStoreOf<Counter>`.
public typealias TestStoreOf<R: ReducerTypes> = TestStore<R.State, R.Action>
where R.State: Equatable

private let unreceivedAdvice =
  "State each with receive(_:), or skip them with skipReceivedActions() or exhaustivity = .off."

extension String {
  /// The text with two more spaces before each line but the first.
  fileprivate var indented: String {
    split(separator: "\n", omittingEmptySubsequences: false).joined(separator: "\n  ")
  }
}
