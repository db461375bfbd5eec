public import ClientDependencies

/// Identifies a child feature within its parent.
@usableFromInline
enum FeatureID: Hashable, Sendable {
  /// The child at a key path of the parent's state.
  case place(AnyHashableSendable)
  /// The child with an ID in a collection at a key path.
  case element(place: AnyHashableSendable, AnyHashableSendable)
}

extension AnyHashableSendable {
  /// Wraps the key path of a child's state in the state of its parent.
  // Safe because a key path is never changed.
  init(place: AnyKeyPath) { self.init(UncheckedSendable(place)) }
}

/// Runs the effects of one store, and ends them.
@MainActor
final class EffectRunner<Action> {
  /// The groups and the feature that an effect belongs to.
  private struct Context {
    var path: [FeatureID] = []
    /// The groups that the effect is a member of.
    var groups: [EffectGroup]
    /// The effects of one sent action, and of the actions that resulted from it.
    let origin: EffectGroup
    /// The action whose reducer returned the effect.
    let action: Action
    /// Sends the action that dismisses the feature; nil if the feature is not presented.
    var dismiss: (@MainActor @Sendable () -> Void)?
    /// The IDs with which `cancel(id:)` can cancel the effect.
    var ids: [AnyHashableSendable] = []

    init(groups: [EffectGroup], origin: EffectGroup, action: Action) {
      (self.groups, self.origin, self.action) = (groups, origin, action)
    }

    func with(_ id: AnyHashableSendable) -> Self {
      var context = self
      context.ids.append(id)
      return context
    }

    func `in`(_ group: EffectGroup) -> Self {
      var context = self
      context.groups.append(group)
      return context
    }
  }

  private struct Key: Hashable, Sendable {
    /// The ID for `cancel(id:)`; nil for all effects of a child feature.
    let id: AnyHashableSendable?
    let path: [FeatureID]
  }

  private typealias Step = Effect<Action>.Step

  /// The running effects that `isIdle` and `waitUntilIdle` count.
  private var all = EffectGroup()
  /// The running effects that `isIdle` and `waitUntilIdle` ignore, because of `ignoreAll`.
  private var ignored: [EffectGroup] = []
  /// The groups with running effects: a group for each ID of `cancel(id:)`, and a group for each
  /// child feature.
  private var groups: [Key: EffectGroup] = [:]
  private var throttled: [Key: Throttled] = [:]
  private let deliver: @MainActor (Action, _ origin: EffectGroup) -> Void
  private let reportLate: @MainActor (_ action: Action, _ source: Action) -> Void
  /// Called when an effect of the root feature dismisses it; nil if a dismissal is an error.
  var dismissRoot: (@MainActor @Sendable () -> Void)?

  private struct Throttled {
    /// The interval, represented by an effect that runs until the interval ends.
    let interval: RunningEffect
    /// The effect that waits for the end of the interval.
    ///
    /// While it waits, it counts as a running effect. Once it is canceled, its `isOver` is true.
    var next: (effect: RunningEffect, start: () -> Void)?
  }

  /// - Parameters:
  ///   - deliver: receives an action that an effect sends.
  ///   - reportLate: receives an action that is sent after the end of its effect, and the action
  ///     that had started the effect.
  init(
    deliver: @escaping @MainActor (Action, _ origin: EffectGroup) -> Void,
    reportLate: @escaping @MainActor (_ action: Action, _ source: Action) -> Void
  ) {
    (self.deliver, self.reportLate) = (deliver, reportLate)
  }

  /// Whether an effect is running and not canceled, so that it may still send actions.
  var isBusy: Bool { all.hasUncancelled }

  /// Whether all effects have ended, even the canceled ones.
  var isIdle: Bool { all.isEmpty }

  /// Returns when all effects have ended, even the canceled ones.
  func waitUntilIdle() async { await all.waitUntilEmpty() }

  /// Cancels all effects.
  func cancelAll() {
    for group in ignored + [all] { group.cancel() }
    for key in throttled.keys { throttled[key]?.interval.cancel() }
  }

  /// Stops counting the running effects; they continue, and their actions still arrive.
  func ignoreAll() {
    ignored = ignored.filter { !$0.isEmpty } + [all]
    all = EffectGroup()
  }

  /// Runs an effect that a reducer returned for `action`.
  func run(_ effect: Effect<Action>, of action: Action, for origin: EffectGroup) {
    guard !effect.step.isNone else { return }
    var context = Context(groups: [all, origin], origin: origin, action: action)
    context.dismiss = dismissRoot
    start(effect.step, context)
  }

  private func start(_ step: Step, _ context: Context) {
    switch step {
    case .none: break
    case .send(let action): deliver(action, context.origin)
    case .run(let run): start(run, context)
    case .merge(let steps): for step in steps { start(step, context) }
    case .concatenate(let steps): startInTurn(steps, context)
    case .cancellable(let step, let id, let cancelInFlight):
      if cancelInFlight { cancel(id: id, below: context.path) }
      start(step, in: Key(id: id, path: context.path), context.with(id))
    case .cancel(let id): cancel(id: id, below: context.path)
    case .debounce(let step, let id, let wait):
      cancel(id: id, below: context.path)
      let context = context.with(id).in(group(for: Key(id: id, path: context.path)))
      RunningEffect(groups: context.groups).start { @MainActor [weak self] in
        if (try? await wait()) != nil, !Task.isCancelled { self?.start(step, context) }
      }
    case .throttle(let step, let id, let rule): throttle(step, id, rule, context)
    case .child(let id, let step, let dismiss):
      var child = context
      child.path.append(id)
      child.ids = []
      if let dismiss {
        // Safe because the closure runs only on the main actor.
        nonisolated(unsafe) let action = dismiss
        child.dismiss = { [weak self, origin = context.origin] in
          self?.deliver(action, origin)
        }
      } else if context.path.isEmpty, dismissRoot != nil {
        // `dismiss` in a child that is not presented has no effect; it must not dismiss the root.
        child.dismiss = {}
      }
      start(step, in: Key(id: nil, path: child.path), child)
    case .cancelChild(let id):
      // This also cancels the effects of the child's own children, which belong to the child's
      // group, too.
      groups[Key(id: nil, path: context.path + [id])]?.cancel()
    }
  }

  /// Starts a step in a group, and removes the group if no effect runs in it.
  private func start(_ step: Step, in key: Key, _ context: Context) {
    start(step, context.in(group(for: key)))
    if groups[key]?.isEmpty == true { groups[key] = nil }
  }

  private func start(_ run: Effect<Action>.Run, _ context: Context) {
    let effect = RunningEffect(groups: context.groups)
    let send = Send<Action> { [weak self, origin = context.origin] action in
      guard let self, !effect.isCancelled else { return }
      if effect.isOver { reportLate(action, context.action) }
      deliver(action, origin)
    }
    let scope = EffectScope(
      dismiss: dismissal(of: effect, context),
      begin: { [weak self] id, cancelInFlight, cancel in
        self?.begin(id, cancelInFlight, context, cancel) ?? {}
      },
      cancel: { [weak self] id in self?.cancel(id: id, below: context.path) }, ids: context.ids)
    effect.start(name: run.name, priority: run.priority) {
      await EffectScope.$current.withValue(scope) { await run.body(send) }
    }
  }

  /// Returns a function that dismisses the feature while the effect is running.
  ///
  /// After the effect has ended or is canceled, the function does nothing, because another feature
  /// may be presented by then.
  private func dismissal(
    of effect: RunningEffect, _ context: Context
  ) -> (@MainActor @Sendable () -> Void)? {
    guard let dismiss = context.dismiss else { return nil }
    return { [weak effect] in
      if let effect, !effect.isOver, !Task.isCancelled { dismiss() }
    }
  }

  /// Makes a part of an effect cancelable by `cancel(id:)`.
  ///
  /// - Returns: a function to call when the part ends.
  private func begin(
    _ id: AnyHashableSendable, _ cancelInFlight: Bool, _ context: Context,
    _ cancel: @escaping @Sendable () -> Void
  ) -> @MainActor @Sendable () -> Void {
    if cancelInFlight { self.cancel(id: id, below: context.path) }
    let part = RunningEffect(groups: [group(for: Key(id: id, path: context.path))])
    part.start(cancel: cancel)
    return { part.end() }
  }

  /// Starts the steps one after another until a step does not end at once; a task then starts the
  /// remaining steps.
  private func startInTurn(_ steps: [Step], _ context: Context) {
    let effect = RunningEffect(groups: context.groups)
    effect.start(cancel: nil)
    var (rest, running, mayHaveSent) = (steps[...], EffectGroup(), false)
    // After a step that may have sent an action, further steps must wait in the task, because the
    // store may reduce that action later.
    while !effect.isOver, running.isEmpty, let step = rest.first, step.isSend || !mayHaveSent {
      rest.removeFirst()
      running = EffectGroup()
      start(step, context.in(running))
      mayHaveSent = mayHaveSent || !step.isCancel
    }
    guard !effect.isOver, !rest.isEmpty else { return effect.end() }
    // Safe because the task runs only on the main actor.
    nonisolated(unsafe) let others = rest
    let first = running
    effect.start { @MainActor [weak self] in
      await first.waitUntilEmpty()
      for step in others where !Task.isCancelled {
        let group = EffectGroup()
        self?.start(step, context.in(group))
        await group.waitUntilEmpty()
      }
    }
  }

  private func throttle(
    _ step: Step, _ id: AnyHashableSendable, _ rule: ThrottleRule, _ context: Context
  ) {
    let key = Key(id: id, path: context.path)
    let context = context.with(id).in(group(for: key))
    let current = throttled[key]
    if let current {
      guard rule.keepsLatest || current.next?.effect.isOver != false else { return }
      let waiting = RunningEffect(groups: context.groups)
      waiting.start(cancel: nil)
      throttled[key]?.next = (waiting, { [weak self] in self?.start(step, context) })
      current.next?.effect.end()
      return
    }
    // No group contains the interval. So it does not count as a running effect, and it continues
    // after the throttled effects are canceled.
    let interval = RunningEffect(groups: [])
    throttled[key] = Throttled(interval: interval)
    start(step, context)
    if groups[key]?.isEmpty == true { groups[key] = nil }
    interval.start { [weak self] in
      repeat { try? await rule.wait() } while await self?.end(interval, of: key) == true
    }
  }

  /// Starts the effect that waits for the end of an interval; returns false if no effect waits.
  private func end(_ interval: RunningEffect, of key: Key) -> Bool {
    guard let current = throttled[key] else { return false }
    // End the waiting effect's placeholder only after `next.start()`, so that the effect's groups
    // never become empty in between.
    defer { current.next?.effect.end() }
    guard !interval.isOver, let next = current.next, !next.effect.isOver else {
      throttled[key] = nil
      return false
    }
    throttled[key]?.next = nil
    next.start()
    return true
  }

  private func group(for key: Key) -> EffectGroup {
    if let group = groups[key] { return group }
    let group = EffectGroup { [weak self] in self?.groups[key] = nil }
    groups[key] = group
    return group
  }

  private func cancel(id: AnyHashableSendable, below path: [FeatureID]) {
    let groups = groups.filter { $0.key.id == id && $0.key.path.starts(with: path) }
    for group in groups.values { group.cancel() }
  }
}

extension Effect.Step {
  fileprivate var isSend: Bool { if case .send = self { true } else { false } }

  fileprivate var isCancel: Bool { if case .cancel = self { true } else { false } }
}
