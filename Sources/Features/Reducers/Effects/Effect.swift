public import ClientDependencies

// Sendable is safe because the actions in an effect are read on the main actor, where the effect
// was made.

/// Work for the store to perform after a reducer has changed the state.
///
/// An effect is a description: nothing happens until the store runs it. It uses the dependencies
/// that were current when it was made.
public struct Effect<Action>: @unchecked Sendable {
  /// The content of the effect.
  @usableFromInline
  indirect enum Step {
    case none
    case send(Action)
    case run(Run)
    case merge([Step])
    case concatenate([Step])
    case cancellable(Step, id: AnyHashableSendable, cancelInFlight: Bool)
    case cancel(id: AnyHashableSendable)
    case debounce(Step, id: AnyHashableSendable, wait: @Sendable () async throws -> Void)
    case throttle(Step, id: AnyHashableSendable, ThrottleRule)
    /// The effects of a child feature; the ID identifies the child within its parent.
    case child(FeatureID, Step, dismiss: Action?)
    case cancelChild(FeatureID)
  }

  @usableFromInline
  struct Run: Sendable {
    let name: String?
    let priority: TaskPriority?
    let body: @Sendable (Send<Action>) async -> Void
  }

  @usableFromInline let step: Step

  @inlinable
  init(_ step: Step) {
    self.step = step
  }

  /// An effect that does nothing.
  @inlinable
  public static var none: Effect { Effect(.none) }

  /// Sends an action immediately after the current action.
  public static func send(_ action: Action) -> Effect { Effect(.send(action)) }

  /// Runs an asynchronous operation that may send actions.
  ///
  /// - Parameters:
  ///   - priority: the priority of the operation's task.
  ///   - name: the name of the task, for debuggers and for reports of the operation's errors.
  ///   - operation: the operation. After the task is canceled, the operation's actions are ignored.
  ///   - handler: called with an error of the operation. Without it, an error other than
  ///     `CancellationError` is reported as an issue at this call.
  public static func run(
    priority: TaskPriority? = nil, name: String? = nil,
    operation: @escaping @Sendable (_ send: Send<Action>) async throws -> Void,
    catch handler: (@Sendable (_ error: any Error, _ send: Send<Action>) async -> Void)? = nil,
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) -> Effect {
    withEscapedDependencies { dependencies in
      Effect(
        .run(
          Run(name: name, priority: priority) { send in
            await dependencies.yield {
              do {
                try await operation(send)
              } catch is CancellationError {
                return
              } catch {
                guard let handler else {
                  return reportIssue(
                    """
                    \(name.map { "the effect '\($0)'" } ?? "an effect") threw an unhandled error: \
                    \(error). Handle it with 'catch:' of 'run', or with a 'do' statement.
                    """, fileID: fileID, filePath: filePath, line: line, column: column)
                }
                await handler(error, send)
              }
            }
          }))
    }
  }

  /// Runs effects at the same time.
  public static func merge(_ effects: Effect...) -> Effect { merge(effects) }

  /// Runs effects at the same time.
  public static func merge(_ effects: some Sequence<Effect>) -> Effect {
    let steps = effects.map(\.step).filter { !$0.isNone }
    return Effect(steps.count > 1 ? .merge(steps) : steps.first ?? .none)
  }

  /// Runs effects one after the other, each after the previous one has ended.
  public static func concatenate(_ effects: Effect...) -> Effect { concatenate(effects) }

  /// Runs effects one after the other, each after the previous one has ended.
  public static func concatenate(_ effects: some Sequence<Effect>) -> Effect {
    let steps = effects.map(\.step).filter { !$0.isNone }
    return Effect(steps.count > 1 ? .concatenate(steps) : steps.first ?? .none)
  }

  /// Runs this effect and another effect at the same time.
  @inlinable
  public func merge(with other: Effect) -> Effect {
    if other.step.isNone { return self }
    return step.isNone ? other : Effect(.merge([step, other.step]))
  }

  /// This effect, followed by another effect.
  public func concatenate(with other: Effect) -> Effect { .concatenate(self, other) }

  /// The same effect with its actions converted to another type.
  public func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other> {
    Effect<Other>(step.map(transform))
  }

  /// Makes the effect cancelable by `cancel(id:)`.
  ///
  /// An ID applies within a store, and there only within one presented feature or element. Two
  /// elements of the same type do not cancel each other's effects, but their parent cancels the
  /// effects of both. A child of `Scope` shares the IDs of its parent.
  ///
  /// - Parameters:
  ///   - id: the ID for `cancel(id:)`.
  ///   - cancelInFlight: whether to cancel earlier effects with this ID first.
  public func cancellable(
    id: some Hashable & Sendable, cancelInFlight: Bool = false
  ) -> Effect {
    Effect(.cancellable(step, id: AnyHashableSendable(id), cancelInFlight: cancelInFlight))
  }

  /// Cancels the effects with an ID, including those of child features.
  public static func cancel(id: some Hashable & Sendable) -> Effect {
    Effect(.cancel(id: AnyHashableSendable(id)))
  }

  /// Delays the start until no other effect with this ID has started for a duration.
  ///
  /// A new effect cancels the previous effect, even if the previous effect has already started.
  ///
  /// - Parameters:
  ///   - id: identifies the effects that belong together.
  ///   - duration: the time to wait.
  ///   - clock: measures the time.
  public func debounce<C: Clock<Duration>>(
    id: some Hashable & Sendable, for duration: Duration, clock: C
  ) -> Effect {
    Effect(
      .debounce(
        step, id: AnyHashableSendable(id), wait: { try await clock.sleep(for: duration) }))
  }

  /// Limits the effects with this ID to one start per interval.
  ///
  /// The first effect starts at once and begins an interval. Of the effects that follow within the
  /// interval, only the latest or only the first is kept. The kept effect starts at the end of the
  /// interval and begins the next interval.
  ///
  /// Canceling the effects of an action also cancels its waiting effect. The interval continues
  /// even if its effects are canceled, and does not count as a running effect.
  ///
  /// - Parameters:
  ///   - id: identifies the effects that belong together.
  ///   - duration: the length of the interval.
  ///   - clock: measures the time.
  ///   - latest: whether to keep the latest of the effects that follow, instead of the first.
  public func throttle<C: Clock<Duration>>(
    id: some Hashable & Sendable, for duration: Duration, clock: C, latest: Bool
  ) -> Effect {
    Effect(
      .throttle(
        step, id: AnyHashableSendable(id),
        ThrottleRule(keepsLatest: latest, wait: { try await clock.sleep(for: duration) })))
  }
}

/// The effect of a feature: `EffectOf<Counter>`.
public typealias EffectOf<R: ReducerTypes> = Effect<R.Action>

/// The `send` of a feature's effects: `SendOf<Counter>`.
public typealias SendOf<R: ReducerTypes> = Send<R.Action>

#if !PointFreeDependencies
extension Effect {
  /// Delays the start until no other effect with this ID has started for a duration, measured by a
  /// scheduler.
  public func debounce<S: Scheduler>(
    id: some Hashable & Sendable, for duration: Duration, scheduler: S
  ) -> Effect {
    let scheduler = scheduler.eraseToAnyScheduler()
    return Effect(
      .debounce(
        step, id: AnyHashableSendable(id), wait: { try await scheduler.sleep(for: duration) }))
  }

  /// Limits the effects with this ID to one start per interval, measured by a scheduler.
  public func throttle<S: Scheduler>(
    id: some Hashable & Sendable, for duration: Duration, scheduler: S, latest: Bool
  ) -> Effect {
    let scheduler = scheduler.eraseToAnyScheduler()
    let rule = ThrottleRule(
      keepsLatest: latest, wait: { try await scheduler.sleep(for: duration) })
    return Effect(.throttle(step, id: AnyHashableSendable(id), rule))
  }
}
#endif

/// The parameters of a throttled effect.
@usableFromInline
struct ThrottleRule: Sendable {
  let keepsLatest: Bool
  /// Waits until the end of the interval.
  let wait: @Sendable () async throws -> Void
}

/// Sends actions from an effect to the store.
@MainActor
public struct Send<Action>: Sendable {
  private let deliver: @MainActor @Sendable (Action) -> Void

  /// Creates a value that passes each action to `deliver`, for tests of an effect's operation.
  public nonisolated init(send deliver: @escaping @MainActor @Sendable (Action) -> Void) {
    self.deliver = deliver
  }

  /// Sends an action; after the effect is canceled, the action is ignored.
  ///
  /// An action that is sent after the end of its effect is reported as an issue.
  public func callAsFunction(_ action: Action) {
    if !Task.isCancelled { deliver(action) }
  }

  nonisolated func pullback<Child>(
    _ transform: @escaping @Sendable (Child) -> Action
  ) -> Send<Child> {
    Send<Child> { deliver(transform($0)) }
  }
}

extension Effect.Step {
  @inlinable var isNone: Bool { if case .none = self { true } else { false } }

  @usableFromInline
  func map<Other>(_ transform: @escaping @Sendable (Action) -> Other) -> Effect<Other>.Step {
    switch self {
    case .none: .none
    case .send(let action): .send(transform(action))
    case .run(let run):
      .run(.init(name: run.name, priority: run.priority) { await run.body($0.pullback(transform)) })
    case .merge(let steps): .merge(steps.map { $0.map(transform) })
    case .concatenate(let steps): .concatenate(steps.map { $0.map(transform) })
    case .cancellable(let step, let id, let cancelInFlight):
      .cancellable(step.map(transform), id: id, cancelInFlight: cancelInFlight)
    case .cancel(let id): .cancel(id: id)
    case .debounce(let step, let id, let wait): .debounce(step.map(transform), id: id, wait: wait)
    case .throttle(let step, let id, let rule): .throttle(step.map(transform), id: id, rule)
    case .child(let id, let step, let dismiss):
      .child(id, step.map(transform), dismiss: dismiss.map(transform))
    case .cancelChild(let id): .cancelChild(id)
    }
  }
}
