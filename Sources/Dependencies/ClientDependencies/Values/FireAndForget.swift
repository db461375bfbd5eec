#if !PointFreeDependencies
extension DependencyValues {
  /// Starts work and, except in tests, does not wait for its end.
  ///
  /// ```swift
  /// @Dependency(\.fireAndForget) var fireAndForget
  /// await fireAndForget { try await player.play(url: jingle) }
  /// ```
  ///
  /// The closure runs in its own task with the overrides of the caller. Canceling the caller does
  /// not cancel this task. In the live and preview contexts, the call returns at once, and an error
  /// is ignored. In tests, the call returns after the closure, and an error is an issue.
  public var fireAndForget: FireAndForget { self[FireAndForgetKey.self] }
}

private enum FireAndForgetKey: DependencyKey {
  static let liveValue = FireAndForget { name, priority, _, operation in
    Task(name: name, priority: priority) { try await operation() }
  }
  static let testValue = FireAndForget { name, priority, location, operation in
    await Task(name: name, priority: priority) {
      do {
        try await operation()
      } catch {
        reportIssue(
          error, fileID: location.fileID, filePath: location.filePath, line: location.line,
          column: location.column)
      }
    }.value
  }
}

/// Starts work without waiting for its end.
public struct FireAndForget: Sendable {
  typealias Operation = @Sendable () async throws -> Void

  fileprivate let start:
    @Sendable (
      _ name: String?, _ priority: TaskPriority?, _ location: SourceLocation,
      _ operation: @escaping Operation
    ) async -> Void

  /// Starts the work, on the caller's actor.
  ///
  /// - Parameters:
  ///   - name: the name of the task, for debugging.
  ///   - priority: the priority of the task; `nil` for the caller's priority.
  ///   - operation: the work. Its error is ignored; in tests, it is an issue at the caller's line.
  public func callAsFunction(
    name: String? = nil,
    priority: TaskPriority? = nil,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column,
    @_inheritActorContext _ operation: @Sendable @escaping () async throws -> Void
  ) async {
    let location = SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column)
    await start(name, priority, location, operation)
  }
}
#endif
