import Synchronization

extension Task where Failure == any Error {
  /// The task's value, or `CancellationError` as soon as the waiting task is cancelled; the task
  /// itself goes on.
  package func valueUnlessCancelled() async throws -> Success {
    let answer = FirstAnswer<Success>()
    Task<Void, Never> { answer.give(await result) }
    return try await answer.value()
  }
}

/// Lets one waiter go with whichever answer comes first.
package final class FirstAnswer<Value: Sendable>: Sendable {
  private struct State {
    var answer: Result<Value, any Error>?
    var waiter: CheckedContinuation<Value, any Error>?
  }

  // Held for a few instructions; the waiter is resumed after it is released.
  private let state = Mutex(State())

  package init() {}

  package func give(_ answer: Result<Value, any Error>) {
    let waiter = state.withLock { state in
      if state.answer == nil { state.answer = answer }
      defer { state.waiter = nil }
      return state.waiter
    }
    waiter?.resume(with: answer)
  }

  /// The answer, or `CancellationError` as soon as the waiting task is cancelled.
  package func value() async throws -> Value {
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { wait($0) }
    } onCancel: {
      give(.failure(CancellationError()))
    }
  }

  private func wait(_ waiter: CheckedContinuation<Value, any Error>) {
    let answer = state.withLock { state in
      if state.answer == nil { state.waiter = waiter }
      return state.answer
    }
    if let answer { waiter.resume(with: answer) }
  }
}
