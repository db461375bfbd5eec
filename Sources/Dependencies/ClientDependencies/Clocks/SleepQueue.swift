#if !PointFreeDependencies
/// The sleepers of a test clock and their deadlines: the clock's logic without tasks.
///
/// Its methods return the waiters, which the clock resumes after releasing its lock.
struct SleepQueue<Duration: DurationProtocol & Hashable, Waiter> {
  typealias Instant = ClockInstant<Duration>

  enum Arrival {
    case sleeps
    case isDue
    case isCancelled
  }

  /// The total number of sleeps so far; it increases when a resumed task sleeps again.
  private(set) var arrivals = 0
  private var sleepers: DueQueue<Instant, (id: Int, task: String?, waiter: Waiter)>
  private var cancelledEarly: Set<Int> = []
  private var waking: Set<Int> = []

  init(now: Instant) {
    sleepers = DueQueue(now: now)
  }

  var now: Instant { sleepers.now }

  var count: Int { sleepers.count }

  /// The earliest deadline.
  ///
  /// Sleepers with the same deadline wake in the order of their arrival.
  var nextDeadline: Instant? { sleepers.next }

  /// Whether a woken task has not yet run.
  var isWaking: Bool { !waking.isEmpty }

  mutating func nextID() -> Int { sleepers.nextID() }

  /// A phrase for each sleeper, with its task and its deadline.
  var descriptions: [String] {
    sleepers.waiting.map { deadline, sleeper in
      "\(sleeper.task.map { "the task '\($0)'" } ?? "a task") sleeps until \(deadline.offset)"
    }
  }

  /// Begins a sleep; `task` is the name of the sleeping task.
  mutating func sleep(
    _ id: Int, until deadline: Instant, task: String? = nil, _ waiter: Waiter
  ) -> Arrival {
    if cancelledEarly.remove(id) != nil { return .isCancelled }
    if deadline < now { return .isDue }
    sleepers.add(id, due: deadline, (id, task, waiter))
    arrivals += 1
    return .sleeps
  }

  /// Ends a sleep, even if it has not yet begun.
  mutating func cancel(_ id: Int) -> Waiter? {
    if let sleeper = sleepers.remove(id) { return sleeper.waiter }
    cancelledEarly.insert(id)
    return nil
  }

  /// Removes an ended sleep when its task runs again.
  mutating func end(_ id: Int) {
    cancelledEarly.remove(id)
    waking.remove(id)
  }

  /// Moves the time to the next deadline and returns its sleeper.
  ///
  /// If no deadline is due by `limit`, it moves the time to `limit` and returns nil.
  mutating func wakeNext(until limit: Instant) -> Waiter? {
    guard let sleeper = sleepers.popNext(until: limit) else { return nil }
    waking.insert(sleeper.id)
    return sleeper.waiter
  }
}

/// Waiting elements, ordered by time and then by arrival.
struct DueQueue<Instant: Comparable, Work> {
  private(set) var now: Instant
  private var items: [(id: Int, due: Instant, work: Work)] = []
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
    items.insert((id, due, work), at: place)
  }

  /// Removes the element with an identifier if the element still waits.
  mutating func remove(_ id: Int) -> Work? {
    items.firstIndex { $0.id == id }.map { items.remove(at: $0).work }
  }

  /// Removes the next work that is due by `limit`, and moves the time to the work's due time.
  ///
  /// If no work is due, the time moves to `limit`. The time never goes back.
  mutating func popNext(until limit: Instant) -> Work? {
    guard let first = items.first, first.due <= limit else {
      now = max(now, limit)
      return nil
    }
    now = max(now, first.due)
    return items.removeFirst().work
  }
}
#endif
