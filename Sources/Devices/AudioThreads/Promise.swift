import Synchronization

/// One value for one waiting task; the first result wins.
package final class Promise<Value: Sendable>: Sendable {
  // The lock is held for a few instructions; the waiter is resumed after its release.
  private let state = Mutex<
    (result: Result<Value, any Error>?, waiter: CheckedContinuation<Value, any Error>?)
  >((nil, nil))

  /// Creates an unresolved promise.
  package init() {}

  /// Resolves the promise; later results are ignored.
  package func resolve(_ result: Result<Value, any Error>) {
    let waiter = state.withLock { state in
      if state.result == nil { state.result = result }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: result)
  }

  /// Returns the value, or throws `CancellationError` as soon as the waiting task is canceled.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait($0) }
    } onCancel: {
      resolve(.failure(CancellationError()))
    }
  }

  private func wait(_ waiter: CheckedContinuation<Value, any Error>) {
    let result = state.withLock { state in
      if state.result == nil { state.waiter = waiter }
      return state.result
    }
    if let result { waiter.resume(with: result) }
  }
}

extension Task where Failure == any Error {
  /// Returns the task's value, or throws `CancellationError` as soon as the waiting task is
  /// canceled; the awaited task continues.
  package func valueUnlessCancelled() async throws -> Success {
    let promise = Promise<Success>()
    Task<Void, Never> { promise.resolve(await result) }
    return try await promise.value()
  }
}

/// A one-way switch: tasks wait until it opens, and later waits return at once.
public final class Gate: Sendable {
  // The lock is held for a few instructions; waiting tasks are resumed after its release.
  private let state = Mutex<(isOpen: Bool, waiting: [CheckedContinuation<Void, Never>])>(
    (false, []))

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
