import Synchronization

/// A one-way switch: tasks wait until it opens, and later waits return at once.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  // Held for a few instructions; waiting tasks are resumed after it is released.
  private let state = Mutex(State())

  /// Creates a closed gate.
  public init() {}

  /// Whether the gate is open.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens the gate; calling it again has no effect.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when the gate is open.
  ///
  /// Cancellation does not end the wait.
  public func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state in
        if !state.isOpen { state.waiting.append(continuation) }
        return state.isOpen
      }
      if isOpen { continuation.resume() }
    }
  }
}
