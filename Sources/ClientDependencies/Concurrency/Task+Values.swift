#if !PointFreeDependencies
import FoundationEssentials

extension Task where Failure == Never {
  /// Waits until the caller is cancelled.
  ///
  /// - Throws: `CancellationError` then.
  public static func never() async throws -> Success {
    for await element in AsyncStream<Success>.never { return element }
    throw _Concurrency.CancellationError()
  }

  /// What the task returns; cancelling the caller cancels the task.
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
  /// Waits until the caller is cancelled.
  ///
  /// - Throws: `CancellationError` then.
  public static func never() async throws {
    for await _ in AsyncStream<Never>.never {}
    throw _Concurrency.CancellationError()
  }
}

extension Task where Failure == any Error {
  /// What the task returns or throws; cancelling the caller cancels the task.
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
  /// What an asynchronous closure returns or throws.
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
  /// Lets other tasks run for a while, so that those that were just started get to their work.
  ///
  /// It is a hope and no promise: `withMainSerialExecutor` makes the order certain, and a
  /// `TestClock` waits by itself.
  ///
  /// - Parameter count: how often other tasks get their turn.
  public static func megaYield(count: Int = _defaultMegaYieldCount) async {
    for _ in 0..<max(0, count) {
      await Task<Void, Never>.detached(priority: .background) { await Task.yield() }.value
    }
  }
}

/// How often a `Task.megaYield()` lets others run: 20, or `TASK_MEGA_YIELD_COUNT`, at most 10,000.
public let _defaultMegaYieldCount: Int = {
  let text = ProcessInfo.processInfo.environment["TASK_MEGA_YIELD_COUNT"]
  return min(max(text.flatMap { Int($0) } ?? 20, 0), 10_000)
}()
#endif
