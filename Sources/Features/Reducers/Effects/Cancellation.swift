import ClientDependencies

/// The parts of its store that an effect's operation can use.
struct EffectScope: Sendable {
  /// The scope of the effect that is running; nil outside effects.
  @TaskLocal static var current: EffectScope?

  /// Sends the parent's `.dismiss`; nil if the feature is not presented.
  let dismiss: (@MainActor @Sendable () -> Void)?
  /// Makes a part of the effect cancelable; returns a function to call at its end.
  let begin:
    @MainActor @Sendable (
      _ id: AnyHashableSendable, _ cancelInFlight: Bool, _ cancel: @escaping @Sendable () -> Void
    ) -> @MainActor @Sendable () -> Void
  let cancel: @MainActor @Sendable (_ id: AnyHashableSendable) -> Void
  /// The IDs that cancel the running task.
  var ids: [AnyHashableSendable]
}

/// Runs a part of an effect that `cancel(id:)` can cancel.
///
/// Outside of effects, it only runs the operation.
///
/// - Parameters:
///   - id: the ID for `cancel(id:)`.
///   - cancelInFlight: whether to cancel effects with this ID first.
///   - operation: the part of the effect.
/// - Returns: the operation's result; rethrows its error.
public func withTaskCancellation<Value: Sendable>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  guard var scope = EffectScope.current else { return try await operation() }
  scope.ids.append(AnyHashableSendable(id))
  let part = scope
  // The operation waits until earlier ones are canceled.
  let (gate, opening) = AsyncStream<Never>.makeStream()
  let task = Task<Value, any Error> {
    for await _ in gate {}
    return try await EffectScope.$current.withValue(part) { try await operation() }
  }
  let end = await scope.begin(AnyHashableSendable(id), cancelInFlight) { task.cancel() }
  opening.finish()
  let result = await withTaskCancellationHandler {
    await task.result
  } onCancel: {
    task.cancel()
  }
  await end()
  return try result.get()
}

extension Task where Success == Never, Failure == Never {
  /// Cancels the effects with an ID, from within an effect of the same feature or of a parent.
  ///
  /// The calling effect is canceled at once, others before its next action.
  public static func cancel(id: some Hashable & Sendable) {
    guard let scope = EffectScope.current else { return }
    let id = AnyHashableSendable(id)
    if scope.ids.contains(id) { withUnsafeCurrentTask { $0?.cancel() } }
    Task<Void, Never> { @MainActor in scope.cancel(id) }
  }
}
