#if !PointFreeDependencies
import FoundationEssentials

extension Task where Failure == Never {
  /// Waits until the caller is canceled.
  ///
  /// - Throws: `CancellationError` when the caller is canceled.
  public static func never() async throws -> Success {
    for await element in AsyncStream<Success>.never { return element }
    throw _Concurrency.CancellationError()
  }

  /// The task's result.
  ///
  /// Canceling the caller cancels the task.
  public var cancellableValue: Success {
    get async {
      await withTaskCancellationHandler {
        await value
      } onCancel: {
        cancel()
      }
    }
  }
}

extension Task where Success == Never, Failure == Never {
  /// Waits until the caller is canceled.
  ///
  /// - Throws: `CancellationError` when the caller is canceled.
  public static func never() async throws {
    for await _ in AsyncStream<Never>.never {}
    throw _Concurrency.CancellationError()
  }
}

extension Task where Failure == any Error {
  /// The task's result.
  ///
  /// Canceling the caller cancels the task.
  public var cancellableValue: Success {
    get async throws {
      try await withTaskCancellationHandler {
        try await value
      } onCancel: {
        cancel()
      }
    }
  }
}

extension Result {
  /// Runs an asynchronous closure and stores its value, or the error that it throws.
  @_transparent
  public nonisolated(nonsending) init(
    catching body: nonisolated(nonsending) () async throws(Failure) -> Success
  ) async {
    do throws(Failure) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}

extension Task where Success == Never, Failure == Never {
  /// Yields repeatedly, so that started tasks can run.
  ///
  /// It guarantees nothing. Use `withMainSerialExecutor` for a deterministic order; a `TestClock`
  /// needs no yields.
  ///
  /// - Parameter count: the number of yields.
  public static func megaYield(count: Int = _defaultMegaYieldCount) async {
    for _ in 0..<max(0, count) {
      await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
    }
  }
}

/// The number of yields of `Task.megaYield()`: 20, or `TASK_MEGA_YIELD_COUNT`, at most 10,000.
public let _defaultMegaYieldCount: Int = {
  let text = ProcessInfo.processInfo.environment["TASK_MEGA_YIELD_COUNT"]
  return min(max(text.flatMap { Int($0) } ?? 20, 0), 10_000)
}()
#endif
