import Synchronization

/// A result that tasks wait for; the first result wins.
public final class Promise<Value: Sendable>: Sendable {
  // The lock is held for a few instructions; waiting tasks are resumed after its release.
  private let state = Mutex<
    (
      result: Result<Value, any Error>?,
      waiting: [CheckedContinuation<Result<Value, any Error>, Never>]
    )
  >((nil, []))

  /// Creates an unresolved promise.
  public init() {}

  /// Resolves the promise; later results are ignored.
  package func resolve(_ result: Result<Value, any Error>) {
    let (first, waiting) = state.withLock { state in
      let first = state.result ?? result
      defer { state = (first, []) }
      return (first, state.waiting)
    }
    for continuation in waiting { continuation.resume(returning: first) }
  }

  /// Whether the promise is resolved.
  fileprivate var isResolved: Bool { state.withLock { $0.result != nil } }

  /// The result; reading it waits for the result, and cancellation does not end the wait.
  package var result: Result<Value, any Error> {
    get async {
      await withCheckedContinuation { continuation in
        let result = state.withLock { state in
          if state.result == nil { state.waiting.append(continuation) }
          return state.result
        }
        if let result { continuation.resume(returning: result) }
      }
    }
  }

  /// Returns the value, or resolves the promise with `CancellationError` as soon as the waiting
  /// task is canceled.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await result.get()
    } onCancel: {
      resolve(.failure(CancellationError()))
    }
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
public typealias Gate = Promise<Void>

extension Promise<Void> {
  /// Whether the gate is open.
  public var isOpen: Bool { isResolved }

  /// Opens the gate; calling it again has no effect.
  public func open() {
    resolve(.success(()))
  }

  /// Returns when the gate is open.
  ///
  /// Cancellation does not end the wait.
  public func wait() async {
    _ = await result
  }
}
