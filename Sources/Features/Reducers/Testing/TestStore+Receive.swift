import ClientDependencies
import CustomDump

extension TestStore {
  /// Sends an action of a case without a value: `send(\.tapped)`.
  @discardableResult
  public func send(
    _ action: CaseKeyPath<Action, Void>, assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      action, (), assert: expected, fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// Sends an action of a case with a value: `send(\.destination.rename.nameChanged, "Alps")`.
  @discardableResult
  public func send<Value>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value,
    assert expected: ((inout State) throws -> Void)? = nil, fileID: StaticString = #fileID,
    filePath: StaticString = #filePath, line: UInt = #line, column: UInt = #column
  ) async -> TestStoreTask {
    await send(
      AnyCasePath(action).embed(value), assert: expected, fileID: fileID, filePath: filePath,
      line: line, column: column)
  }

  /// Expects that an effect sends this action, and that the closure changes the state as the
  /// reducer does.
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

  /// Expects that an effect sends an action of a case, and that the closure changes the state as
  /// the reducer does.
  public func receive<Value>(
    _ action: CaseKeyPath<Action, Value>, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive(\\.\(path.name))", timeout, expected, where: { path.extract($0) != nil })
  }

  /// Expects that an effect sends an action of a case with this value, and that the closure changes
  /// the state as the reducer does.
  public func receive<Value: Equatable>(
    _ action: CaseKeyPath<Action, Value>, _ value: Value, timeout: Duration? = nil,
    assert expected: ((inout State) throws -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    let path = AnyCasePath(action)
    await receive(
      CallSite(fileID: fileID, filePath: filePath, line: line, column: column),
      "receive(\\.\(path.name))", timeout, expected,
      difference: { path.extract($0).flatMap { diff(value, $0, format: .proportional) } },
      where: { path.extract($0) == value })
  }

  /// Expects that an effect sends an action for which the condition holds, and that the closure
  /// changes the state as the reducer does.
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

  private func receive(
    _ site: CallSite, _ name: String, _ limit: Duration?,
    _ expected: ((inout State) throws -> Void)?,
    difference: (Action) -> String? = { _ in nil }, where matches: (Action) -> Bool
  ) async {
    let limit = limit ?? timeout
    // The number of received actions to skip if the expected action follows them.
    var skipped = 0
    // All waits in this call share one time limit.
    var end: Arrivals.End?
    defer { end?.cancel() }
    while true {
      while exhaustivity != .on, skipped < received.count, !matches(received[skipped].action) {
        skipped += 1
      }
      if skipped < received.count { break }
      let limitEnd = end ?? arrivals.end(after: limit, timeoutClock)
      end = limitEnd
      guard core.isBusy || arrivals.isPending, await arrivals.next(before: limitEnd) else {
        let cause =
          core.isBusy
          ? "no effect sent it within \(limit). \(unfinishedAdvice)"
          : "no effect is running that could send it. Check what the reducer returns."
        let others = skipped == 0 ? "" : "\n\nIt was not among \(list(of: received))"
        return report("\(name): \(cause)\(others)", at: site)
      }
    }
    if skipped > 0 {
      note("\(name) skipped \(list(of: Array(received.prefix(skipped))))", at: site)
    }
    if skipped > 0 { state = received[skipped - 1].state }
    let next = received[skipped]
    received.removeFirst(skipped + 1)
    guard matches(next.action) else {
      state = next.state
      let text =
        difference(next.action).map { "\n\n\($0)\n\n(expected: -, received: +)" }
        ?? ":\n\n\(detail(of: next.action, indent: 2))"
      report("\(name): received \(summary(of: next.action)) instead\(text)", at: site)
      return await letEffectsRun()
    }
    check(to: next.state, shared: next.shared, expected, name, at: site)
    await letEffectsRun()
  }
}
