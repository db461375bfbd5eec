import ClientDependencies

/// The parts of its store that an effect's operation can use.
struct EffectScope: Sendable {
  /// The scope of the effect that is running; nil outside effects.
  @TaskLocal static var current: EffectScope?

  /// Sends the parent's `.dismiss`; nil if the feature is not presented.
  let dismiss: (@MainActor @Sendable () -> Void)?
  /// Lets `cancel` end a part of the effect; returns what to call at its end.
  let begin:
    @MainActor @Sendable (
      _ id: AnyHashableSendable, _ cancelInFlight: Bool, _ cancel: @escaping @Sendable () -> Void
    ) -> @MainActor @Sendable () -> Void
  let cancel: @MainActor @Sendable (_ id: AnyHashableSendable) -> Void
}

/// Runs a part of an effect that `cancel(id:)` ends.
///
/// Outside of effects it only runs the operation.
///
/// - Parameters:
///   - id: what `cancel(id:)` names.
///   - cancelInFlight: whether to end effects with this id first.
///   - operation: the part of the effect.
/// - Returns: what the operation returns; throws what it throws.
public func withTaskCancellation<Value: Sendable>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  operation: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  guard let scope = EffectScope.current else { return try await operation() }
  // The operation waits until earlier ones are canceled.
  let (gate, opening) = AsyncStream<Never>.makeStream()
  let task = Task<Value, any Error> {
    for await _ in gate {}
    return try await operation()
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
  /// Ends the effects with an id, from within an effect of the same feature or of a parent.
  public static func cancel(id: some Hashable & Sendable) async {
    await EffectScope.current?.cancel(AnyHashableSendable(id))
  }
}
