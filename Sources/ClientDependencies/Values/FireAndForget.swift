#if !PointFreeDependencies
extension DependencyValues {
  /// What starts work whose end nobody waits for; in tests it is waited for.
  ///
  /// ```swift
  /// @Dependency(\.fireAndForget) var fireAndForget
  /// await fireAndForget { try await player.play(url: jingle) }
  /// ```
  ///
  /// At work and in previews the closure runs in a task of its own, with the overrides of the
  /// caller. In tests the call returns when the closure is done. Errors are ignored in both.
  public var fireAndForget: FireAndForget {
    get { self[FireAndForgetKey.self] }
    set { self[FireAndForgetKey.self] = newValue }
  }
}

enum FireAndForgetKey: DependencyKey {
  static let liveValue = FireAndForget { priority, operation in
    Task(priority: priority) { try await operation() }
  }
  static let testValue = FireAndForget { _, operation in
    // Nobody waits for an error, in tests as little as at work.
    try? await operation()
  }
}

/// What starts work whose end nobody waits for.
public struct FireAndForget: Sendable {
  /// Starts the work with a priority; `nil` is the caller's.
  public let operation:
    @Sendable (TaskPriority?, @Sendable @escaping () async throws -> Void) async -> Void

  /// Starts work with the given closure.
  public init(
    _ operation:
      @escaping @Sendable (TaskPriority?, @Sendable @escaping () async throws -> Void) async -> Void
  ) {
    self.operation = operation
  }

  /// Starts the work, on the caller's actor.
  ///
  /// - Parameters:
  ///   - priority: of the task at work; `nil` is the caller's.
  ///   - operation: the work, whose error is ignored.
  public func callAsFunction(
    priority: TaskPriority? = nil,
    @_inheritActorContext _ operation: @Sendable @escaping () async throws -> Void
  ) async {
    await self.operation(priority, operation)
  }
}
#endif
