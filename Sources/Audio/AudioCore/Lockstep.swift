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
    /// Whether the app's code has received a result and may react to it.
    var isReacting = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of changes, for the watchdog.
    var changes = 0
    var watchdog: Task<Void, Never>?
    /// The names of the consumers that lost their holds because they did not release the time.
    var abandoned: [String] = []

    mutating func popWaiting() -> [CheckedContinuation<Void, Never>] {
      changes += 1
      guard !isHeld else { return [] }
      defer { waiting = [] }
      return waiting
    }

    var isHeld: Bool { holds.values.contains { !$0.isFeature } }
  }

  /// The duration after which the clock no longer waits for consumers, if no hold changes.
  private let patience: Duration
  private let state = Mutex(State())

  package init(patience: Duration = .seconds(20)) {
    self.patience = patience
  }

  /// Returns when no consumer holds the time, apart from the app's code.
  ///
  /// If no hold changes for `patience`, all these consumers lose their holds.
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

  /// Whether the app's code has a result and may still react to it.
  package var isReacting: Bool { state.withLock { $0.isReacting || !$0.holds.isEmpty } }

  /// Records that the app's code receives a result and may react to it.
  package func expectReaction() {
    state.withLock { $0.isReacting = true }
  }

  /// Stops waiting for reactions, because the app's code waits for something else.
  package func endReactions() {
    state.withLock { state in
      state.isReacting = false
      state.holds = state.holds.filter { !$0.value.isFeature }
    }
  }

  /// The names of the consumers that hold the time, and of those that lost their holds.
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

  /// Starts a task that removes the holds of consumers that do not release them.
  ///
  /// The task ends when nothing waits in `settled`.
  private func watchdog() -> Task<Void, Never> {
    Task { [weak self, patience] in
      while let changes = self?.state.withLock({ $0.changes }) {
        try? await Task.sleep(for: patience)
        guard self?.isWatching(since: changes) == true else { return }
      }
    }
  }

  /// Removes the holds if nothing has changed since `changes`; returns whether a caller still waits
  /// in `settled`.
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

/// One consumer's hold on the time of a virtual card.
package final class TimeHold: Sendable {
  fileprivate let name: String
  fileprivate let isFeature: Bool
  private let lockstep: Lockstep
  private let state = Mutex((begins: 0, isClosed: false))

  /// Creates a hold that has not begun; nil without a lockstep.
  ///
  /// If `isFeature` is true, the consumer is the app's code. `settled` does not wait for it,
  /// because it may wait for something else before it requests the next element.
  package init?(_ lockstep: Lockstep?, _ name: String, isFeature: Bool = false) {
    guard let lockstep else { return nil }
    (self.lockstep, self.name, self.isFeature) = (lockstep, name, isFeature)
  }

  deinit {
    lockstep.end(ObjectIdentifier(self))
  }

  /// Holds the time; does nothing after `close`.
  package func begin() {
    state.withLock { state in
      state.begins += 1
      if !state.isClosed { lockstep.begin(self) }
    }
  }

  /// The number of times that the hold has begun, to pass to `end(at:)`.
  package var count: Int { state.withLock { $0.begins } }

  /// Releases the time, unless the hold has begun more than `count` times.
  package func end(at count: Int? = nil) {
    state.withLock { state in
      if count == nil || count == state.begins { lockstep.end(ObjectIdentifier(self)) }
    }
  }

  /// Releases the time permanently, because the consumer has ended.
  package func close() {
    state.withLock { $0.isClosed = true }
    end()
  }
}
