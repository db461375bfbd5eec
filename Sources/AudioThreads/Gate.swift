import Synchronization

/// A gate that opens once and lets through all who wait for it, now and later.
public final class Gate: Sendable {
  private struct State {
    var isOpen = false
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  // Held for a few instructions; those who waited are resumed after it is released.
  private let state = Mutex(State())

  /// A gate that is closed.
  public init() {}

  /// Whether it has been opened.
  public var isOpen: Bool { state.withLock { $0.isOpen } }

  /// Opens it; opening it again changes nothing.
  public func open() {
    let waiting = state.withLock { state in
      state.isOpen = true
      defer { state.waiting = [] }
      return state.waiting
    }
    for continuation in waiting { continuation.resume() }
  }

  /// Returns when it is open.
  ///
  /// Cancelling does not end the wait.
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
