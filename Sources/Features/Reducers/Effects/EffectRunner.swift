public import ClientDependencies

/// Identifies a child feature within its parent.
@usableFromInline
enum FeatureID: Hashable, Sendable {
  /// The child at a key path of the parent's state.
  case place(AnyHashableSendable)
  /// The child with an ID in a collection at a key path.
  case element(place: AnyHashableSendable, AnyHashableSendable)
}

/// Runs the effects of one store, and ends them.
@MainActor
final class EffectRunner<Action> {
  /// The groups and the feature that an effect belongs to.
  private struct Context {
    var path: [FeatureID] = []
    /// The groups that the effect is a member of.
    var groups: [EffectGroup]
    /// The effects of one sent action and of the actions that follow from it.
    let origin: EffectGroup
    /// Sends the action that dismisses the feature; nil if it is not presented.
    var dismiss: (@MainActor @Sendable () -> Void)?
    /// The steps of concatenations that the effect belongs to.
    private var steps: [EffectGroup] = []

    init(groups: [EffectGroup], origin: EffectGroup) {
      (self.groups, self.origin) = (groups, origin)
    }

    /// The groups that effects of other actions share.
    var shared: [EffectGroup] {
      groups.filter { group in group !== origin && !steps.contains { $0 === group } }
    }

    func `in`(_ group: EffectGroup) -> Self {
      var context = self
      context.groups.append(group)
      return context
    }

    func `in`(step: EffectGroup) -> Self {
      var context = self.in(step)
      context.steps.append(step)
      return context
    }
  }

  private struct Key: Hashable, Sendable {
    /// The ID for `cancel(id:)`; nil for all effects of a child feature.
    let id: AnyHashableSendable?
    let path: [FeatureID]
  }

  private typealias Step = Effect<Action>.Step

  private let all = EffectGroup()
  /// The groups with running effects: a group for each ID of `cancel(id:)`, and a group for each
  /// child feature.
  private var groups: [Key: EffectGroup] = [:]
  private var throttled: [Key: Throttled] = [:]
  private let deliver: @MainActor (Action, _ origin: EffectGroup) -> Void

  private struct Throttled {
    /// The running interval.
    let interval: RunningEffect
    /// The effect that waits for the end of the interval.
    ///
    /// It counts as running in its groups, and is over if it is canceled.
    var next: (effect: RunningEffect, start: () -> Void)?
  }

  /// - Parameter deliver: receives an action that an effect sends.
  init(deliver: @escaping @MainActor (Action, _ origin: EffectGroup) -> Void) {
    self.deliver = deliver
  }

  /// Whether an effect is running that may still send actions, which a canceled effect may not.
  var isBusy: Bool { all.hasUncancelled }

  /// Whether no effect is running, including canceled ones.
  var isIdle: Bool { all.isEmpty }

  /// Returns when no effect is running, including canceled ones.
  func waitUntilIdle() async { await all.waitUntilEmpty() }

  /// Cancels all effects.
  func cancelAll() { all.cancel() }

  func run(_ effect: Effect<Action>, for origin: EffectGroup) {
    if !effect.step.isNone {
      start(effect.step, Context(groups: [all, origin], origin: origin))
    }
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
      start(step, in: Key(id: id, path: context.path), context)
    case .cancel(let id): cancel(id: id, below: context.path)
    case .debounce(let step, let id, let wait):
      cancel(id: id, below: context.path)
      let context = context.in(group(for: Key(id: id, path: context.path)))
      RunningEffect(groups: context.groups).start(priority: nil) { @MainActor [weak self] in
        if (try? await wait()) != nil, !Task.isCancelled { self?.start(step, context) }
      }
    case .throttle(let step, let id, let rule): throttle(step, id, rule, context)
    case .child(let id, let step, let dismiss):
      var child = context
      child.path.append(id)
      if let dismiss {
        // Safe because the closure runs only on the main actor.
        nonisolated(unsafe) let action = dismiss
        child.dismiss = { [weak self, origin = context.origin] in
          self?.deliver(action, origin)
        }
      }
      start(step, in: Key(id: nil, path: child.path), child)
    case .cancelChild(let id):
      // A grandchild's effects also belong to the group of its parent.
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
    let send = Send<Action> { [weak self, weak effect, origin = context.origin] action in
      // Actions of an escaped `send` are ignored after the end of its effect or store.
      if let self, let effect, !effect.isOver { deliver(action, origin) }
    }
    let scope = EffectScope(
      dismiss: dismissal(of: effect, context),
      begin: { [weak self] id, cancelInFlight, cancel in
        self?.begin(id, cancelInFlight, context, cancel) ?? {}
      },
      cancel: { [weak self] id in self?.cancel(id: id, below: context.path) })
    effect.start(priority: run.priority) {
      await EffectScope.$current.withValue(scope) { await run.body(send) }
    }
  }

  /// Dismisses the feature only while the effect may send, because later another feature may be
  /// presented.
  private func dismissal(
    of effect: RunningEffect, _ context: Context
  ) -> (@MainActor @Sendable () -> Void)? {
    guard let dismiss = context.dismiss else { return nil }
    return { [weak effect] in
      if let effect, !effect.isOver, !Task.isCancelled { dismiss() }
    }
  }

  /// Makes a part of an effect cancelable by `cancel(id:)`; returns a function to call at its end.
  private func begin(
    _ id: AnyHashableSendable, _ cancelInFlight: Bool, _ context: Context,
    _ cancel: @escaping @Sendable () -> Void
  ) -> @MainActor @Sendable () -> Void {
    if cancelInFlight { self.cancel(id: id, below: context.path) }
    let part = RunningEffect(groups: [group(for: Key(id: id, path: context.path))])
    part.start(cancel: cancel)
    return { part.end() }
  }

  /// Starts steps immediately as long as each ends at once, and the remaining steps in a task.
  private func startInTurn(_ steps: [Step], _ context: Context) {
    let effect = RunningEffect(groups: context.groups)
    effect.start(cancel: nil)
    var (rest, running, mayHaveSent) = (steps[...], EffectGroup(), false)
    // If the store reduces the action later, the remaining steps start only after it.
    while !effect.isOver, running.isEmpty, let step = rest.first, step.isSend || !mayHaveSent {
      rest.removeFirst()
      running = EffectGroup()
      start(step, context.in(step: running))
      mayHaveSent = mayHaveSent || !step.isCancel
    }
    guard !effect.isOver, !rest.isEmpty else { return effect.end() }
    // Safe because the task runs only on the main actor.
    nonisolated(unsafe) let others = rest
    let first = running
    effect.start(priority: nil) { @MainActor [weak self] in
      await first.waitUntilEmpty()
      for step in others where !Task.isCancelled {
        let group = EffectGroup()
        self?.start(step, context.in(step: group))
        await group.waitUntilEmpty()
      }
    }
  }

  private func throttle(
    _ step: Step, _ id: AnyHashableSendable, _ rule: ThrottleRule, _ context: Context
  ) {
    let key = Key(id: id, path: context.path)
    let context = context.in(group(for: key))
    let current = throttled[key]
    // A canceled interval ends later, but no effect waits for its end.
    if let current, !current.interval.isOver {
      guard rule.keepsLatest || current.next?.effect.isOver != false else { return }
      let waiting = RunningEffect(groups: context.groups)
      waiting.start(cancel: nil)
      throttled[key]?.next = (waiting, { [weak self] in self?.start(step, context) })
      current.next?.effect.end()
      return
    }
    current?.next?.effect.end()
    // The interval continues after the action is canceled, because effects of other actions wait
    // for its end.
    let interval = RunningEffect(groups: context.shared)
    throttled[key] = Throttled(interval: interval)
    start(step, context)
    interval.start(priority: nil) { [weak self] in
      repeat { try? await rule.wait() } while await self?.end(interval, of: key) == true
    }
  }

  /// Starts the effect that waits for the end of an interval; returns false if no effect waits.
  private func end(_ interval: RunningEffect, of key: Key) -> Bool {
    guard let current = throttled[key], current.interval === interval else { return false }
    // Ended after the start, so that its groups do not become empty in between.
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

/// A group of effects that are canceled or awaited together.
@MainActor
final class EffectGroup {
  private var running: Set<RunningEffect> = []
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private let whenEmpty: () -> Void

  /// - Parameter whenEmpty: called whenever the last effect has ended.
  init(whenEmpty: @escaping () -> Void = {}) {
    self.whenEmpty = whenEmpty
  }

  var isEmpty: Bool { running.isEmpty }

  var hasUncancelled: Bool { running.contains { !$0.isOver } }

  func waitUntilEmpty() async {
    if !running.isEmpty { await withCheckedContinuation { waiting.append($0) } }
  }

  func cancel() {
    for effect in running { effect.cancel() }
  }

  fileprivate func insert(_ effect: RunningEffect) { running.insert(effect) }

  fileprivate func remove(_ effect: RunningEffect) {
    guard running.remove(effect) != nil, running.isEmpty else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
    whenEmpty()
  }
}

/// One task of an effect, or an effect that waits for its start.
@MainActor
private final class RunningEffect: Hashable {
  private(set) var isOver = false
  private let groups: [EffectGroup]
  private var cancelTask: (@Sendable () -> Void)?

  init(groups: [EffectGroup]) {
    self.groups = groups
  }

  func start(priority: TaskPriority?, _ body: @escaping @Sendable () async -> Void) {
    let task = task(priority, body)
    start(cancel: { task.cancel() })
  }

  /// Nonisolated, so that the task begins without a hop to the main actor.
  private nonisolated func task(
    _ priority: TaskPriority?, _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task(priority: priority) {
      await body()
      await end()
    }
  }

  /// - Parameter cancel: cancels the work, which then calls `end()`; nil if no work is running.
  func start(cancel: (@Sendable () -> Void)?) {
    for group in groups { group.insert(self) }
    cancelTask = cancel
  }

  func cancel() {
    // From here on, its actions are ignored.
    isOver = true
    if let cancelTask { cancelTask() } else { end() }
  }

  func end() {
    isOver = true
    for group in groups { group.remove(self) }
  }

  nonisolated static func == (effect: RunningEffect, other: RunningEffect) -> Bool {
    effect === other
  }

  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
