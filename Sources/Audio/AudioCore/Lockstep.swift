import Synchronization

/// The consumers of a virtual card's audio, for which the card's test clock waits.
///
/// A thread or a task that has audio holds the time, and releases it when it waits for more.
/// Hardware has no lockstep: a hold of nil does nothing.
///
/// Thread safety: any thread; each call takes a lock for a few instructions.
package final class Lockstep: Sendable {
  private struct State {
    var holds: [ObjectIdentifier: (name: String, isFeature: Bool)] = [:]
    /// Whether a feature got a result that it may react to.
    var isReacting = false
    var waiting: [CheckedContinuation<Void, Never>] = []
    /// The number of changes, for the watchdog.
    var changes = 0
    var watchdog: Task<Void, Never>?
    /// The names of the consumers that did not answer in time.
    var abandoned: [String] = []

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      changes += 1
      guard !isHeld else { return [] }
      defer { waiting = [] }
      return waiting
    }

    var isHeld: Bool { holds.values.contains { !$0.isFeature } }
  }

  /// How long nothing may change before the time no longer waits for the consumers that hold it.
  private let patience: Duration
  private let state = Mutex(State())

  package init(patience: Duration = .seconds(20)) {
    self.patience = patience
  }

  /// Returns when no consumer of the package holds the time.
  ///
  /// A consumer that does not answer holds it no longer.
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

  /// Whether anybody holds the time, or a feature has a result and may react to it.
  package var isReacting: Bool { state.withLock { $0.isReacting || !$0.holds.isEmpty } }

  /// Records that a feature gets a result and may react to it.
  package func expectReaction() {
    state.withLock { $0.isReacting = true }
  }

  /// Waits no longer for reactions: the feature waits for something else.
  package func endReactions() {
    state.withLock { state in
      state.isReacting = false
      state.holds = state.holds.filter { !$0.value.isFeature }
    }
  }

  /// The names of the consumers that hold the time, and of those that did not answer.
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
      state.holds.removeValue(forKey: hold) == nil ? [] : state.takeWaiting()
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Gives up consumers that do not answer, while anyone waits for them.
  private func watchdog() -> Task<Void, Never> {
    Task { [weak self, patience] in
      while let changes = self?.state.withLock({ $0.changes }) {
        try? await Task.sleep(for: patience)
        guard self?.isWatching(since: changes) == true else { return }
      }
    }
  }

  /// Whether a task still waits, after the holders that did not answer have lost their holds.
  private func isWatching(since changes: Int) -> Bool {
    let (waiting, isOver) = state.withLock { state in
      if !state.waiting.isEmpty, state.changes == changes {
        state.abandoned += state.holds.values.filter { !$0.isFeature }.map(\.name)
        state.holds = state.holds.filter(\.value.isFeature)
      }
      let waiting = state.isHeld ? [] : state.takeWaiting()
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
  /// - Parameter isFeature: whether the consumer is the code of a feature, which may wait for something
  ///   else before it asks for the next element.
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

  /// The number of times it has begun, for `end`.
  package var count: Int { state.withLock { $0.begins } }

  /// Releases the time, unless the hold has begun again since it had begun `count` times.
  package func end(at count: Int? = nil) {
    state.withLock { state in
      if count == nil || count == state.begins { lockstep.end(ObjectIdentifier(self)) }
    }
  }

  /// Releases the time for good: the consumer has ended.
  package func close() {
    state.withLock { $0.isClosed = true }
    end()
  }
}
