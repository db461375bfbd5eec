import ClientDependencies

/// The functions of the store that an effect's operation can call.
struct EffectScope: Sendable {
  /// The scope of the effect that is running; nil outside effects.
  @TaskLocal static var current: EffectScope?

  /// Sends the parent's `.dismiss`; nil if the feature is not presented.
  let dismiss: (@MainActor @Sendable () -> Void)?
  /// Makes a part of the effect cancelable; returns a function to call when the part ends.
  let begin:
    @MainActor @Sendable (
      _ id: AnyHashableSendable, _ cancelInFlight: Bool, _ cancel: @escaping @Sendable () -> Void
    ) -> @MainActor @Sendable () -> Void
  let cancel: @MainActor @Sendable (_ id: AnyHashableSendable) -> Void
  /// The IDs with which `cancel(id:)` cancels the running task.
  var ids: [AnyHashableSendable]

  /// The scope of tasks outside effects; the cancellation IDs of these tasks belong to no store.
  static var outside: EffectScope { DependencyValues._current[TasksOutsideEffects.self].scope }
}

/// The cancelable tasks outside effects; they are a dependency, so that each test has its own.
private final class TasksOutsideEffects: DependencyKey, Sendable {
  static var liveValue: TasksOutsideEffects { TasksOutsideEffects() }
  static var testValue: TasksOutsideEffects { TasksOutsideEffects() }

  @MainActor private var groups: [AnyHashableSendable: EffectGroup] = [:]

  var scope: EffectScope {
    EffectScope(
      dismiss: nil,
      begin: { [self] id, cancelInFlight, cancel in
        if cancelInFlight { groups[id]?.cancel() }
        let group = groups[id] ?? EffectGroup { [weak self] in self?.groups[id] = nil }
        groups[id] = group
        let part = RunningEffect(groups: [group])
        part.start(cancel: cancel)
        return { part.end() }
      }, cancel: { [self] id in groups[id]?.cancel() }, ids: [])
  }
}

/// Runs a part of an effect that `cancel(id:)` can cancel.
///
/// If this function is called outside effects, only a `Task.cancel(id:)` outside effects cancels
/// the operation.
///
/// - Parameters:
///   - id: the ID for `cancel(id:)`.
///   - cancelInFlight: whether to cancel effects with this ID first.
///   - operation: the part of the effect.
/// - Returns: the operation's result; rethrows its error.
public func withTaskCancellation<Value: Sendable, Failure: Error>(
  id: some Hashable & Sendable, cancelInFlight: Bool = false,
  operation: @escaping @Sendable () async throws(Failure) -> Value
) async throws(Failure) -> Value {
  var scope = EffectScope.current ?? .outside
  scope.ids.append(AnyHashableSendable(id))
  let part = scope
  // The operation waits at this gate until earlier operations with the ID are canceled.
  let (gate, opening) = AsyncStream<Never>.makeStream()
  let task = Task<Result<Value, Failure>, Never> {
    for await _ in gate {}
    return await EffectScope.$current.withValue(part) {
      do throws(Failure) {
        return .success(try await operation())
      } catch {
        return .failure(error)
      }
    }
  }
  let end = await scope.begin(AnyHashableSendable(id), cancelInFlight) { task.cancel() }
  opening.finish()
  let result = await withTaskCancellationHandler {
    await task.value
  } onCancel: {
    task.cancel()
  }
  await end()
  return try result.get()
}

extension Task where Success == Never, Failure == Never {
  /// Cancels the effects with an ID, from within an effect of the same feature or of a parent.
  ///
  /// The calling effect is canceled at once. Other effects are canceled before the calling effect
  /// sends its next action.
  ///
  /// If this function is called outside effects, it cancels operations of `withTaskCancellation`
  /// that also run outside effects.
  public static func cancel(id: some Hashable & Sendable) {
    let scope = EffectScope.current ?? .outside
    let id = AnyHashableSendable(id)
    if scope.ids.contains(id) { withUnsafeCurrentTask { $0?.cancel() } }
    Task<Void, Never> { @MainActor in scope.cancel(id) }
  }
}
