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
public final class TestScheduler<SchedulerTimeType, SchedulerOptions>: Scheduler,
  @unchecked Sendable
where SchedulerTimeType: Strideable, SchedulerTimeType.Stride: SchedulerTimeIntervalConvertible {
  /// The delay of work that is scheduled for a time.
  public let minimumTolerance: SchedulerTimeType.Stride
  // `@unchecked` is right, because the queue is only used under the lock, which is never held while
  // work runs.
  private let lock = Lock(())
  private var queue: DueQueue<SchedulerTimeType, () -> Void>
  /// The active repeated work.
  private var repeating: Set<Int> = []

  /// Makes a scheduler.
  ///
  /// - Parameters:
  ///   - now: its first time.
  ///   - minimumTolerance: the delay of work that is scheduled for a time.
  public init(now: SchedulerTimeType, minimumTolerance: SchedulerTimeType.Stride = .zero) {
    self.minimumTolerance = minimumTolerance
    queue = DueQueue(now: now)
  }

  /// The time.
  ///
  /// Only `advance` and `run` change it.
  public var now: SchedulerTimeType { lock.withLock { _ in queue.now } }

  /// The earliest time of waiting work.
  var nextDate: SchedulerTimeType? { lock.withLock { _ in queue.next } }

  /// Runs the next work that is due by `limit`, at its time.
  ///
  /// - Returns: whether there was any.
  func runNext(until limit: SchedulerTimeType) -> Bool {
    // Right, because only this thread runs it.
    nonisolated(unsafe) var action: (() -> Void)?
    lock.withLock { _ in action = queue.takeNext(until: limit) }
    action?()
    return action != nil
  }

  /// Runs work at the next `advance`, even by zero.
  public func schedule(options: SchedulerOptions?, _ action: @escaping () -> Void) {
    lock.withLock { _ in queue.add(queue.nextID(), due: queue.now, action) }
  }

  /// Runs work once at a time.
  public func schedule(
    after date: SchedulerTimeType,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) {
    lock.withLock { _ in queue.add(queue.nextID(), due: late(date), action) }
  }

  /// Runs work at a time, then once per interval, until it is canceled.
  public func schedule(
    after date: SchedulerTimeType,
    interval: SchedulerTimeType.Stride,
    tolerance: SchedulerTimeType.Stride,
    options: SchedulerOptions?,
    _ action: @escaping () -> Void
  ) -> any Cancellable {
    guard canRepeat(every: interval) else { return AnyCancellable {} }
    let id = lock.withLock { _ in
      let id = queue.nextID()
      repeating.insert(id)
      return id
    }
    add(id, at: date, interval, action)
    return AnyCancellable { [weak self] in self?.cancel(id) }
  }

  /// Adds repeated work.
  ///
  /// It schedules its next turn before it runs, so that it can cancel itself.
  private func add(
    _ id: Int, at date: SchedulerTimeType, _ interval: SchedulerTimeType.Stride,
    _ action: @escaping () -> Void
  ) {
    let turn = { [weak self] in
      self?.add(id, at: date.advanced(by: interval), interval, action)
      action()
    }
    lock.withLock { _ in
      // Another thread may have canceled it between the two turns.
      if repeating.contains(id) { queue.add(id, due: late(date), turn) }
    }
  }

  private func cancel(_ id: Int) {
    lock.withLock { _ in
      repeating.remove(id)
      _ = queue.remove(id)
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
  /// Advances the time and runs all due work, each at its time.
  ///
  /// - Parameter duration: the distance; zero runs work that is due now.
  public func advance(by duration: SchedulerTimeType.Stride = .zero) {
    advance(to: now.advanced(by: duration))
  }

  /// Advances the time to `instant` and runs all due work, each at its time.
  public func advance(to instant: SchedulerTimeType) {
    while runNext(until: instant) {}
  }

  /// Runs all waiting work.
  ///
  /// It does not return while work repeats.
  public func run() {
    while let date = nextDate { advance(to: date) }
  }

  /// Advances the time on the main actor.
  ///
  /// Other tasks run before each piece of work.
  ///
  /// - Parameter duration: the distance; zero runs work that is due now.
  @MainActor
  public func advance(by duration: SchedulerTimeType.Stride = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time on the main actor.
  ///
  /// Other tasks run before each piece of work.
  @MainActor
  public func advance(to instant: SchedulerTimeType) async {
    repeat { await Task.megaYield() } while runNext(until: instant)
  }

  /// Runs all waiting work on the main actor.
  ///
  /// - Parameter timeout: the real time after which it gives up with a reported issue, because work
  ///   repeats forever.
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

/// Waiting elements, ordered by time and then by arrival.
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

  /// The earliest time of a waiting element.
  var next: Instant? { items.first?.due }

  /// The waiting elements, the earliest first.
  var waiting: [(due: Instant, work: Work)] { items.map { ($0.due, $0.work) } }

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func add(_ id: Int, due: Instant, _ work: Work) {
    let place = items.firstIndex { due < $0.due || due == $0.due && id < $0.id } ?? items.endIndex
    items.insert(Item(id: id, due: due, work: work), at: place)
  }

  /// Removes the element with an identifier if it still waits.
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
