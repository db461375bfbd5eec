#if !PointFreeDependencies
import FoundationEssentials

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
