import Synchronization

/// Keeps a virtual card's test clock in step with the consumers of its audio.
///
/// A consumer is a thread or task that processes the audio. It "holds the time" while it has audio
/// to process: the clock does not advance until the consumer waits for more audio. Hardware needs
/// no lockstep, so its consumers have no `TimeHold`.
///
/// Thread safety: any thread; each call takes a lock for a few instructions.
package final class Lockstep: Sendable {
  private struct State {
    var holds: [ObjectIdentifier: (name: String, isFeature: Bool)] = [:]
    /// Whether the app's code has received a result and may still be handling it.
    var isReacting = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of changes, by which the watchdog detects progress.
    var changes = 0
    var watchdog: Task<Void, Never>?
    /// The names of the consumers for which the clock stopped waiting, because they processed audio
    /// for too long.
    var abandoned: [String] = []

    mutating func popWaiting() -> [CheckedContinuation<Void, Never>] {
      changes += 1
      guard !isHeld else { return [] }
      defer { waiting = [] }
      return waiting
    }

    var isHeld: Bool { holds.values.contains { !$0.isFeature } }
  }

  /// The duration after which the clock stops waiting, if no consumer has started or finished
  /// processing audio.
  private let patience: Duration
  private let state = Mutex(State())

  package init(patience: Duration = .seconds(20)) {
    self.patience = patience
  }

  /// Returns when no consumer except the app's code is processing audio.
  ///
  /// If no consumer starts or finishes processing for `patience`, the clock stops waiting for all
  /// of them.
  package func settled() async {
    await withCheckedContinuation { continuation in
      let isSettled = state.withLock { state in
        guard state.isHeld else { return true }
        state.waiting.append(continuation)
        if state.watchdog == nil { state.watchdog = watchdog() }
        return false
      }
      if isSettled { continuation.resume() }
    }
  }

  /// Whether the app's code may still be handling a result, or a consumer is processing audio.
  package var isReacting: Bool { state.withLock { $0.isReacting || !$0.holds.isEmpty } }

  /// Records that the app's code is receiving a result and may take time to handle it.
  package func expectReaction() {
    state.withLock { $0.isReacting = true }
  }

  /// Lets the clock advance although the app's code may still be handling a result.
  ///
  /// Call this when no task can be running: the app's code then waits for something else.
  package func endReactions() {
    state.withLock { state in
      state.isReacting = false
      state.holds = state.holds.filter { !$0.value.isFeature }
    }
  }

  /// The names of the consumers that keep the clock from advancing, and of the consumers for which
  /// the clock stopped waiting.
  package var holders: [String] {
    state.withLock { state in (state.holds.values.map(\.name) + state.abandoned).sorted() }
  }

  fileprivate func begin(_ hold: TimeHold) {
    state.withLock { state in
      state.holds[ObjectIdentifier(hold)] = (hold.name, hold.isFeature)
      state.changes += 1
    }
  }

  fileprivate func end(_ hold: ObjectIdentifier) {
    let waiting = state.withLock { state in
      state.holds.removeValue(forKey: hold) == nil ? [] : state.popWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Starts a task that lets the clock advance if no consumer makes progress for `patience`.
  ///
  /// The task ends when no caller waits in `settled`.
  private func watchdog() -> Task<Void, Never> {
    Task { [weak self, patience] in
      while let changes = self?.state.withLock({ $0.changes }) {
        try? await Task.sleep(for: patience)
        guard self?.isWatching(since: changes) == true else { return }
      }
    }
  }

  /// Stops waiting for the current consumers if the number of changes is still `changes`.
  ///
  /// - Returns: whether a caller still waits in `settled`.
  private func isWatching(since changes: Int) -> Bool {
    let (waiting, isOver) = state.withLock { state in
      if !state.waiting.isEmpty, state.changes == changes {
        state.abandoned += state.holds.values.filter { !$0.isFeature }.map(\.name)
        state.holds = state.holds.filter(\.value.isFeature)
      }
      let waiting = state.isHeld ? [] : state.popWaiting()
      if state.waiting.isEmpty { state.watchdog = nil }
      return (waiting, state.watchdog == nil)
    }
    for continuation in waiting { continuation.resume() }
    return !isOver
  }
}

/// Keeps a virtual sound card's clock from advancing while one consumer processes audio.
package final class TimeHold: Sendable {
  fileprivate let name: String
  fileprivate let isFeature: Bool
  private let lockstep: Lockstep
  private let state = Mutex((begins: 0, isClosed: false))

  /// Creates an object that stops the clock only from `begin` to `end`; returns nil if `lockstep`
  /// is nil.
  ///
  /// If `isFeature` is true, the consumer is the app's code. `settled` does not wait for that code,
  /// which may wait for something else before it requests the next element.
  package init?(_ lockstep: Lockstep?, _ name: String, isFeature: Bool = false) {
    guard let lockstep else { return nil }
    (self.lockstep, self.name, self.isFeature) = (lockstep, name, isFeature)
  }

  deinit {
    lockstep.end(ObjectIdentifier(self))
  }

  /// Keeps the clock from advancing until `end` is called; does nothing after `close`.
  package func begin() {
    state.withLock { state in
      state.begins += 1
      if !state.isClosed { lockstep.begin(self) }
    }
  }

  /// The number of calls of `begin`, to pass to `end(at:)`.
  package var count: Int { state.withLock { $0.begins } }

  /// Lets the clock advance, unless `begin` was called more than `count` times.
  package func end(at count: Int? = nil) {
    state.withLock { state in
      if count == nil || count == state.begins { lockstep.end(ObjectIdentifier(self)) }
    }
  }

  /// Lets the clock advance from now on, because the consumer has ended.
  package func close() {
    state.withLock { $0.isClosed = true }
    end()
  }
}
