import Synchronization

/// What a thread of its own works out for a caller who may leave before it is done.
public final class ThreadedAnswer<Value: Sendable>: Sendable {
  private enum State {
    case empty
    case given(Value)
    case awaited(CheckedContinuation<Value, Never>)
    case over
  }

  // Held to hand the answer over; the caller is resumed after it is free.
  private let state = Mutex(State.empty)

  private init() {}

  /// The answer; where the caller is cancelled, `abandoned` at once, and the work goes on for
  /// nobody.
  ///
  /// - Parameters:
  ///   - name: the thread's name, of at most 15 bytes.
  ///   - failed: the answer where the system gives no thread, for its error.
  ///   - body: the work, which may block for as long as it likes.
  public static func of(
    thread name: String, abandoned: Value, failed: (ThreadError) -> Value,
    _ body: @escaping @Sendable () -> Value
  ) async -> Value {
    let answer = ThreadedAnswer()
    do throws(ThreadError) {
      _ = try DedicatedThread.start(name: name) { answer.give(body()) }
    } catch {
      return failed(error)
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { answer.await($0) }
    } onCancel: {
      answer.give(abandoned)
    }
  }

  /// Gives the answer; a second one is forgotten.
  private func give(_ value: Value) {
    let caller: CheckedContinuation<Value, Never>? = state.withLock { state in
      switch state {
      case .empty:
        state = .given(value)
        return nil
      case .awaited(let caller):
        state = .over
        return caller
      case .given, .over: return nil
      }
    }
    caller?.resume(returning: value)
  }

  private func await(_ caller: CheckedContinuation<Value, Never>) {
    let value: Value? = state.withLock { state in
      guard case .given(let value) = state else {
        state = .awaited(caller)
        return nil
      }
      state = .over
      return value
    }
    if let value { caller.resume(returning: value) }
  }
}
