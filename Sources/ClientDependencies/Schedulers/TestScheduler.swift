#if !PointFreeDependencies
import Foundation

/// A scheduler whose time moves only when a test says so.
///
/// ```swift
/// let queue = DispatchQueue.test
/// queue.schedule(after: queue.now.advanced(by: .seconds(1))) { print("a second later") }
/// queue.advance(by: .seconds(1))
/// ```
///
/// Thread safety: any thread may schedule work; it runs on the thread that moves the time.
public final class TestScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler,
  @unchecked Sendable
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// By how much work that waits for a time runs later than it should.
  public let minimumTolerance: SchedulerTimeType.Stride
  // `@unchecked` is right, because the queue is only used under the lock, which is never held while
  // work runs.
  private let lock = NSLock()
  private var queue: DueQueue<SchedulerTimeType, () -> Void>
  /// The repeated work that nobody has cancelled.
  private var repeating: Set<Int> = []

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - now: its first time.
  ///   - minimumTolerance: by how much work that waits for a time runs later than it should.
  public init(now: SchedulerTimeType, minimumTolerance: SchedulerTimeType.Stride = .zero) {
    self.minimumTolerance = minimumTolerance
    queue = DueQueue(now: now)
  }

  /// The time, which only `advance` and `run` move.
  public var now: SchedulerTimeType { lock.withLock { queue.now } }

  /// The earliest time for which work waits.
  var nextDate: SchedulerTimeType? { lock.withLock { queue.next } }

  /// Runs the next work that is due by `limit`, at its time.
  ///
  /// - Returns: whether there was any.
  func runNext(until limit: SchedulerTimeType) -> Bool {
    let action = lock.withLock { queue.takeNext(until: limit) }
    action?()
    return action != nil
  }

  /// Runs work at the next `advance`, also one by nothing.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    lock.withLock { queue.add(queue.nextID(), due: queue.now, action) }
  }

  /// Runs work once, when the time has come there.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    lock.withLock { queue.add(queue.nextID(), due: late(date), action) }
  }

  /// Runs work when the time has come there, then once in each interval, until it is cancelled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let id = lock.withLock {
      let id = queue.nextID()
      repeating.insert(id)
      return id
    }
    add(id, at: date, interval, action)
    return AnyCancellable { [weak self] in self?.cancel(id) }
  }

  /// Adds repeated work, which adds its next turn before it runs, so that it can cancel itself.
  private func add(
    _ id: Int, at date: SchedulerTimeType, _ interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    let turn = { [weak self] in
      self?.add(id, at: date.advanced(by: interval), interval, action)
      action()
    }
    lock.withLock {
      // Another thread may have cancelled it between the two turns.
      if repeating.contains(id) { queue.add(id, due: late(date), turn) }
    }
  }

  private func cancel(_ id: Int) {
    _ = lock.withLock {
      repeating.remove(id)
      return queue.remove(id)
    }
  }

  private func late(_ date: SchedulerTimeType) -> SchedulerTimeType {
    date.advanced(by: minimumTolerance)
  }
}

/// A test scheduler with the times and options of the named one.
public typealias TestSchedulerOf<S: Scheduler> = TestScheduler<
  S.SchedulerTimeType, S.SchedulerOptions
>
#endif
