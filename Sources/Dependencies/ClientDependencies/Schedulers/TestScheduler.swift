#if !PointFreeDependencies
/// A scheduler whose time a test controls.
///
/// ```swift
/// let queue = DispatchQueue.test
/// queue.schedule(after: queue.now.advanced(by: .seconds(1))) { print("a second later") }
/// queue.advance(by: .seconds(1))
/// ```
///
/// Thread safety: any thread may schedule work; it runs on the thread that moves the time.
public final class TestScheduler<SchedulerTimeType: InstantProtocol>: Scheduler, Sendable
where SchedulerTimeType.Duration == Duration {
  private struct Work {
    let id: Int
    var due: SchedulerTimeType
    let interval: Duration?
    let action: UncheckedSendable<() -> Void>
  }

  // The lock is never held while work runs.
  private let queue: Lock<DueQueue<SchedulerTimeType, Work>>

  /// Creates a scheduler with its initial time.
  public init(now: SchedulerTimeType) {
    queue = Lock(DueQueue(now: now))
  }

  /// The scheduler's time, which only `advance` and `run` change.
  public var now: SchedulerTimeType { queue.withLock { $0.now } }

  /// Runs work once, at the given time; even work that is due now waits for `advance`.
  public func schedule(after date: SchedulerTimeType, _ action: @escaping () -> Void) {
    _ = add(at: date, interval: nil, action)
  }

  /// Runs work at the given time, then once per interval, until the result is canceled.
  public func schedule(
    after date: SchedulerTimeType, interval: Duration, _ action: @escaping () -> Void
  ) -> AnyCancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let id = add(at: date, interval: interval, action)
    return AnyCancellable { [weak self] in
      _ = self?.queue.withLock { $0.remove(id) }
    }
  }

  private func add(
    at date: SchedulerTimeType, interval: Duration?, _ action: @escaping () -> Void
  ) -> Int {
    let action = UncheckedSendable(action)
    return queue.withLock { queue in
      let work = Work(id: queue.nextID(), due: date, interval: interval, action: action)
      queue.add(work.id, due: date, work)
      return work.id
    }
  }

  /// Runs the next work that is due by `limit`, at its time.
  ///
  /// - Returns: whether any work was due.
  private func runNext(until limit: SchedulerTimeType) -> Bool {
    let work = queue.withLock { queue -> Work? in
      guard var work = queue.popNext(until: limit) else { return nil }
      // Repeated work is scheduled again before it runs, so that it can cancel itself.
      if let interval = work.interval {
        work.due = work.due.advanced(by: interval)
        queue.add(work.id, due: work.due, work)
      }
      return work
    }
    work?.action.value()
    return work != nil
  }

  /// Advances the time and runs all due work, each at its time.
  ///
  /// - Parameter duration: the duration to advance by; zero runs work that is due now.
  public func advance(by duration: Duration = .zero) {
    let end = now.advanced(by: duration)
    while runNext(until: end) {}
  }

  /// Runs all waiting work.
  ///
  /// It does not return while work repeats.
  public func run() {
    while let date = queue.withLock({ $0.next }) { _ = runNext(until: date) }
  }

  /// Advances the time on the main actor; other tasks run before each piece of work.
  ///
  /// - Parameter duration: the duration to advance by; zero runs work that is due now.
  @MainActor
  public func advance(by duration: Duration = .zero) async {
    let end = now.advanced(by: duration)
    repeat { await Task.megaYield() } while runNext(until: end)
  }

  /// Runs all waiting work on the main actor.
  ///
  /// - Parameter timeout: the real time after which the call stops and reports an issue, in case
  ///   work repeats forever.
  @MainActor
  public func run(
    timeout: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let end = ContinuousClock.now + timeout
    repeat {
      await Task.megaYield()
      guard let date = queue.withLock({ $0.next }) else { return }
      _ = runNext(until: date)
    } while ContinuousClock.now < end
    reportIssue(
      "Work still waits on the scheduler after \(timeout): 'run' is for work that ends.",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
#endif
