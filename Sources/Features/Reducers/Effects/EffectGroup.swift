/// A group of effects that are canceled or awaited together.
@MainActor
final class EffectGroup {
  private var running: Set<RunningEffect> = []
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private(set) var isCancelled = false
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
    isCancelled = true
    for effect in running { effect.cancel() }
  }

  func insert(_ effect: RunningEffect) { running.insert(effect) }

  func remove(_ effect: RunningEffect) {
    guard running.remove(effect) != nil, running.isEmpty else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
    whenEmpty()
  }
}

/// A running task of an effect, or an effect that has not started yet.
@MainActor
final class RunningEffect: Hashable {
  /// Whether the effect has ended or is canceled.
  private(set) var isOver = false
  private(set) var isCancelled = false
  private let groups: [EffectGroup]
  private var cancelTask: (@Sendable () -> Void)?

  init(groups: [EffectGroup]) {
    self.groups = groups
  }

  func start(
    name: String? = nil, priority: TaskPriority? = nil, _ body: @escaping @Sendable () async -> Void
  ) {
    let task = task(name, priority, body)
    start(cancel: { task.cancel() })
  }

  /// This function is nonisolated, so that its task starts without a hop to the main actor.
  private nonisolated func task(
    _ name: String?, _ priority: TaskPriority?, _ body: @escaping @Sendable () async -> Void
  ) -> Task<Void, Never> {
    Task(name: name, priority: priority) {
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
    // From here on, the store ignores the effect's actions.
    (isOver, isCancelled) = (true, true)
    if let cancelTask { cancelTask() } else { end() }
  }

  func end() {
    isOver = true
    cancelTask = nil
    for group in groups { group.remove(self) }
  }

  nonisolated static func == (effect: RunningEffect, other: RunningEffect) -> Bool {
    effect === other
  }

  nonisolated func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
