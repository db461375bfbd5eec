public import ClientDependencies
import CustomDump

/// Whether a test must state all behavior of a feature.
public enum Exhaustivity: Equatable, Sendable {
  /// Every change, received action, and running effect must be stated.
  case on
  /// Only the statements of the test are checked.
  ///
  /// - Parameter showSkippedAssertions: whether to print unstated behavior.
  case off(showSkippedAssertions: Bool)

  /// Only the statements of the test are checked.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}

/// A store for tests.
///
/// The test states the change of the state for each action, and the actions that effects send.
///
/// ```swift
/// let store = TestStore(initialState: Counter.State()) { Counter() }
/// await store.send(.increment) { $0.count = 1 }
/// ```
///
/// A failure is an issue at the line of the statement, with the difference of expected and actual
/// state. When the store is released, unreceived actions and running effects are reported as issues
/// at the line where it was created.
@MainActor
public final class TestStore<State: Equatable, Action> {
  private struct Received {
    let action: Action
    let state: State
    let shared: SharedChanges
  }

  /// The state after all stated actions.
  public private(set) var state: State
  /// Whether the test must state all behavior.
  public var exhaustivity = Exhaustivity.on
  /// The time limit of `receive` and `finish` if they have no limit of their own.
  public var timeout = Duration.seconds(1)
  /// The clock for these limits; by default real time.
  public var timeoutClock: any Clock<Duration> = ContinuousClock()
  /// The dependencies of the feature and its effects; changes apply to later actions.
  public var dependencies: DependencyValues {
    get { core.dependencies }
    set { core.dependencies = newValue }
  }

  private let core: StoreCore<State, Action>
  private var received: [Received] = []
  /// The changes of shared values since the last action.
  private let shared = SharedChanges()
  private let arrivals = Arrivals()
  private let site: CallSite
  private let origin = IssueOrigin.current

  /// Creates a test store for a feature.
  public init<R: Reducer<State, Action>>(
    initialState: @autoclosure () -> State,
    @ReducerBuilder<State, Action> reducer: () -> R,
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
  }

  isolated deinit {
    if exhaustivity == .on {
      if !received.isEmpty {
        report("the test ended without receiving \(names(of: received))", at: site)
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
  }

  /// Sends an action, and expects that the state changes as the closure changes it.
  ///
  /// All actions that effects have sent must have been received first.
  ///
  /// - Parameters:
  ///   - action: the action to send.
  ///   - expected: changes the state before the action to the state after it; without it, the state
  ///     must not change.
  /// - Returns: the effects of the action.
  @discardableResult
  public func send(
    _ action: Action, assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if !received.isEmpty {
      note("send(\(summary(of: action))) before receiving \(names(of: received))", at: site)
      received = []
      state = core.state
    }
    let before = state
    let group = EffectGroup()
    var changes: SharedChanges?
    core.reduce(action, for: group) {
      self.state = self.core.state
      changes = self.shared.take()
    }
    check(
      from: before, to: state, shared: changes, expected, "send(\(summary(of: action)))", at: site)
    await letEffectsRun()
    return TestStoreTask(group: group, timeout: timeout, clock: timeoutClock)
  }

  /// Expects that an effect sends an action, and that the state changes as the closure changes it.
  public func receive(
    _ action: Action, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async where Action: Equatable {
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive(\(summary(of: action)))", timeout, expected,
      difference: { diff(action, $0, format: .proportional) }, where: { $0 == action })
  }

  /// Expects that an effect sends an action of a case, and that the state changes as the closure
  /// changes it.
  public func receive<Value>(
    _ action: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive(\(action))", timeout, expected, where: { path.extract($0) != nil })
  }

  /// Expects that an effect sends an action of a case with a value, and that the state changes as
  /// the closure changes it.
  public func receive<Value: Equatable>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive(\(action))", timeout, expected,
      difference: { path.extract($0).flatMap { diff(value, $0, format: .proportional) } },
      where: { path.extract($0) == value })
  }

  /// Expects that an effect sends an action for which the condition holds, and that the state
  /// changes as the closure changes it.
  public func receive(
    _ matches: (_ action: Action) -> Bool, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive", timeout, expected, where: matches)
  }

  /// Waits for the end of all effects; effects that exceed the limit are reported as an issue.
  ///
  /// Unreceived actions are also reported as an issue.
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    let limit = timeout ?? self.timeout
    let hasFinished = await finishes(within: limit, timeoutClock) {
      await self.core.waitUntilIdle()
    }
    if !hasFinished, core.isBusy {
      report("an effect was still running after \(limit)", at: site)
    }
    if exhaustivity == .on, !received.isEmpty {
      report("finish() before receiving \(names(of: received))", at: site)
      (received, state) = ([], core.state)
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
    if received.isEmpty, strict { report("there is no received action to skip", at: site) }
    (received, state) = ([], core.state)
  }

  /// Cancels the running effects.
  ///
  /// - Parameter strict: whether to report an issue if there are none.
  public func skipInFlightEffects(
    strict: Bool = true, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let site = CallSite(fileID: fileID, filePath: filePath, line: line, column: column)
    if core.isIdle, strict { report("there is no running effect to skip", at: site) }
    core.cancelEffects()
    await core.waitUntilIdle()
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

  private func receive(
    _ site: CallSite, _ name: String, _ limit: Duration?,
    _ expected: ((inout State) throws -> Void)?,
    difference: (Action) -> String? = { _ in nil }, where matches: (Action) -> Bool
  ) async {
    let limit = limit ?? timeout
    var skipped: [Received] = []
    // One time limit for all skipped effects.
    var end: Task<Void, any Error>?
    defer { end?.cancel() }
    while true {
      while let first = received.first, exhaustivity != .on, !matches(first.action) {
        skipped.append(received.removeFirst())
        state = first.state
      }
      if !received.isEmpty { break }
      end = end ?? arrivals.end(after: limit, timeoutClock)
      guard core.isBusy || arrivals.isPending, await arrivals.next() else {
        let cause =
          core.isBusy
          ? "no effect sent it within \(limit)" : "no effect is running that could send it"
        return report("\(name): \(cause)\(skippedNames(skipped))", at: site)
      }
    }
    if !skipped.isEmpty { note("\(name) skipped \(names(of: skipped))", at: site) }
    let next = received.removeFirst()
    if !matches(next.action) {
      report(
        "\(name): received \(summary(of: next.action)) instead"
          + (difference(next.action).map { "\n\n\($0)\n\n(expected: -, received: +)" } ?? ""),
        at: site)
    }
    let before = state
    state = next.state
    check(from: before, to: state, shared: next.shared, expected, name, at: site)
    await letEffectsRun()
  }

  /// Waits briefly, so that an effect that has finished its work ends before the test.
  private func letEffectsRun() async {
    if !core.isIdle { await Task.megaYield() }
  }

  /// Checks the states and the shared values, by default their changes since the last action.
  private func check(
    from before: State, to after: State, shared changes: SharedChanges? = nil,
    _ expectation: ((inout State) throws -> Void)?, _ name: String, at site: CallSite
  ) {
    let changes = changes ?? shared.take()
    if exhaustivity != .on { changes.expectActual() }
    changes.assert {
      // Finds the shared values in the state, because the comparison may end before it meets them.
      if !changes.isEmpty { _ = SharedChanges.actual { after == after } }
      compare(from: before, to: after, changes.isEmpty, expectation, name, at: site)
    }
    guard exhaustivity == .on else { return }
    for difference in changes.unstated {
      report("\(name): the closure does not expect the change of \(difference)", at: site)
    }
  }

  private func compare(
    from before: State, to after: State, _ keepsShared: Bool,
    _ expectation: ((inout State) throws -> Void)?, _ name: String, at site: CallSite
  ) {
    var expected = exhaustivity == .on ? before : after
    do {
      try expectation?(&expected)
    } catch {
      return report("\(name): the closure threw \(error)", at: site)
    }
    if expectation != nil, exhaustivity == .on, keepsShared, expected == before, before == after {
      return report(
        "\(name): the state did not change, and the closure expects no change; remove the closure",
        at: site)
    }
    guard expected != after else { return }
    let difference = diff(expected, after, format: .proportional)
    report(
      "\(name): the state is not as expected"
        + (difference.map { "\n\n\($0)\n\n(expected: -, actual: +)" }
          ?? ": both print the same, but == says they differ"),
      at: site)
  }

  private func skippedNames(_ skipped: [Received]) -> String {
    skipped.isEmpty ? "" : "; skipped \(names(of: skipped))"
  }

  private func names(of received: [Received]) -> String {
    received.map { summary(of: $0.action) }.joined(separator: ", ")
  }

  /// Reports an issue if the store is exhaustive; otherwise prints it if requested.
  private func note(_ message: String, at site: CallSite) {
    switch exhaustivity {
    case .on: report(message, at: site)
    case .off(showSkippedAssertions: true): print("\(site.fileID):\(site.line): \(message)")
    case .off: break
    }
  }

  private func report(_ message: String, at site: CallSite) {
    origin.reportIssue(
      message, fileID: site.fileID, filePath: site.filePath, line: site.line, column: site.column)
  }
}

/// The effects of an action sent by a test.
public struct TestStoreTask: Sendable {
  fileprivate let group: EffectGroup
  fileprivate let timeout: Duration
  fileprivate let clock: any Clock<Duration>

  /// Cancels the effects and waits for their end.
  public func cancel() async { await StoreTask(group: group).cancel() }

  /// Waits for the effects; exceeding the limit is reported as an issue.
  @MainActor
  public func finish(
    timeout: Duration? = nil, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
    line: UInt = #line, column: UInt = #column
  ) async {
    let limit = timeout ?? self.timeout
    if !(await finishes(within: limit, clock) { await self.group.waitUntilEmpty() }) {
      reportIssue(
        "the effects of the action were still running after \(limit)", fileID: fileID,
        filePath: filePath, line: line, column: column)
    }
  }
}

/// Returns whether an operation ends within a time; if not, the operation keeps running.
@MainActor
private func finishes(
  within limit: Duration, _ clock: any Clock<Duration>,
  _ operation: @escaping @MainActor @Sendable () async -> Void
) async -> Bool {
  let arrivals = Arrivals()
  Task {
    await operation()
    arrivals.note()
  }
  let end = arrivals.end(after: limit, clock)
  defer { end.cancel() }
  return await arrivals.next()
}

/// Counts events, and wakes a task that waits for the next event or a limit.
@MainActor
private final class Arrivals {
  private var count = 0
  private var isOver = false
  private var waiter: CheckedContinuation<Bool, Never>?

  var isPending: Bool { count > 0 }

  func note() {
    if let waiter = waiter.take() { waiter.resume(returning: true) } else { count += 1 }
  }

  /// Ends waits after a time, unless the returned task is canceled first.
  func end(after limit: Duration, _ clock: any Clock<Duration>) -> Task<Void, any Error> {
    isOver = false
    return Task { @MainActor in
      try await clock.sleep(for: limit)
      // The sleep may have ended just before it was canceled.
      try Task.checkCancellation()
      isOver = true
      waiter.take()?.resume(returning: false)
    }
  }

  /// Waits for an event; returns false if there is none before the limit.
  func next() async -> Bool {
    if count > 0 {
      count -= 1
      return true
    }
    if isOver { return false }
    return await withCheckedContinuation { waiter = $0 }
  }
}
