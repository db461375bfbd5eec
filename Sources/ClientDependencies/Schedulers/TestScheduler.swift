#if !PointFreeDependencies
import Foundation

/// A scheduler whose time a test controls.
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
  /// The repeated work that is not cancelled.
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

extension TestScheduler {
  /// Moves the time on and runs, each at its time, all work that is due until then.
  ///
  /// - Parameter duration: by how much; nothing runs what is due now.
  public func advance(by duration: SchedulerTimeType.Stride = .zero) {
    advance(to: now.advanced(by: duration))
  }

  /// Moves the time to `instant` and runs, each at its time, all work that is due until then.
  public func advance(to instant: SchedulerTimeType) {
    while runNext(until: instant) {}
  }

  /// Runs all work, until none waits; work that repeats for ever runs for ever.
  public func run() {
    while let date = nextDate { advance(to: date) }
  }

  /// Moves the time on on the main actor, and lets other tasks run before each piece of work.
  ///
  /// - Parameter duration: by how much; nothing runs what is due now.
  @MainActor
  public func advance(by duration: SchedulerTimeType.Stride = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Moves the time on on the main actor, and lets other tasks run before each piece of work.
  @MainActor
  public func advance(to instant: SchedulerTimeType) async {
    repeat { await Task.megaYield() } while runNext(until: instant)
  }

  /// Runs all work on the main actor, until none waits.
  ///
  /// - Parameter timeout: the real time after which it gives up with a reported issue, because work
  ///   repeats for ever.
  @MainActor
  public func run(
    timeout: Duration = .seconds(10),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let end = ContinuousClock.now + timeout
    await Task.megaYield()
    while let date = nextDate {
      await advance(to: date)
      guard ContinuousClock.now < end else {
        reportIssue(
          "Work still waits on the scheduler after \(timeout): 'run' is for work that ends.",
          fileID: fileID, filePath: filePath, line: line, column: column)
        return
      }
    }
  }
}

/// What waits for which time, in the order of the times and then of its coming.
struct DueQueue<Instant: Comparable, Work> {
  private struct Item {
    var id: Int
    var due: Instant
    var work: Work
  }

  private(set) var now: Instant
  private var items: [Item] = []
  private var lastID = 0

  init(now: Instant) {
    self.now = now
  }

  var count: Int { items.count }

  /// The earliest time for which something waits.
  var next: Instant? { items.first?.due }

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ id: Int, due: Instant, _ work: Work) {
    let place = items.firstIndex { due < $0.due || due == $0.due && id < $0.id } ?? items.endIndex
    items.insert(Item(id: id, due: due, work: work), at: place)
  }

  /// Takes out the work with an identifier, if it still waits.
  mutating func remove(_ id: Int) -> Work? {
    items.firstIndex { $0.id == id }.map { items.remove(at: $0).work }
  }

  /// Takes out the next work that is due by `limit` and moves the time there, or to `limit` if
  /// there is none; the time never goes back.
  mutating func takeNext(until limit: Instant) -> Work? {
    guard let first = items.first, first.due <= limit else {
      now = max(now, limit)
      return nil
    }
    now = max(now, first.due)
    return items.removeFirst().work
  }
}
#endif
