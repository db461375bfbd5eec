#if !PointFreeDependencies
/// Lets tasks have something one after the other, in the order in which they asked.
final class Turns: Sendable {
  private struct State {
    var isTaken = false
    var lastID = 0
    var waiting: [(id: Int, turn: CheckedContinuation<Bool, Never>)] = []

    mutating func take(_ id: Int) -> CheckedContinuation<Bool, Never>? {
      waiting.firstIndex { $0.id == id }.map { waiting.remove(at: $0).turn }
    }
  }

  // Held for one change; who waits is resumed after the lock is released.
  private let state = Lock(State())

  /// Waits for the turn, which lasts until ``pass()``.
  ///
  /// - Returns: false if the task was cancelled while it waited, and has no turn.
  func take() async -> Bool {
    let id = state.withLock { state in
      state.lastID += 1
      return state.lastID
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { wait(id, $0) }
    } onCancel: {
      cancel(id)
    }
  }

  /// Gives the turn to the next one who waits.
  func pass() {
    let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
      state.isTaken = !state.waiting.isEmpty
      return state.waiting.isEmpty ? nil : state.waiting.removeFirst().turn
    }
    next?.resume(returning: true)
  }

  private func wait(_ id: Int, _ turn: CheckedContinuation<Bool, Never>) {
    let isFree = state.withLock { state in
      defer { state.isTaken = true }
      if state.isTaken { state.waiting.append((id, turn)) }
      return !state.isTaken
    }
    if isFree { return turn.resume(returning: true) }
    // The cancellation may have come before the wait.
    if Task.isCancelled { cancel(id) }
  }

  private func cancel(_ id: Int) {
    state.withLock { $0.take(id) }?.resume(returning: false)
  }
}
#endif
