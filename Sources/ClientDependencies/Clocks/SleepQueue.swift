#if !PointFreeDependencies
/// Who sleeps on a test clock, and until when: the clock's logic, without tasks.
///
/// Its methods change the state and return what to resume, which the clock does after its lock is
/// released.
struct SleepQueue<Duration: DurationProtocol & Hashable, Waiter> {
  typealias Instant = ClockInstant<Duration>

  enum Arrival {
    case sleeps
    case isDue
    case isCancelled
  }

  /// Counts the sleepers that came, so that a clock sees whether its resumed tasks sleep again.
  private(set) var arrivals = 0
  private var sleepers: DueQueue<Instant, (id: Int, waiter: Waiter)>
  private var cancelledEarly: Set<Int> = []
  private var waking: Set<Int> = []

  init(now: Instant) {
    sleepers = DueQueue(now: now)
  }

  var now: Instant { sleepers.now }

  var count: Int { sleepers.count }

  /// The earliest deadline; of several sleepers with the same one, the first that came is woken
  /// first.
  var nextDeadline: Instant? { sleepers.next }

  /// Whether a sleeper was woken whose task has yet to run.
  var isWaking: Bool { !waking.isEmpty }

  mutating func nextID() -> Int { sleepers.nextID() }

  mutating func sleep(_ id: Int, until deadline: Instant, _ waiter: Waiter) -> Arrival {
    if cancelledEarly.remove(id) != nil { return .isCancelled }
    if deadline <= now { return .isDue }
    sleepers.add(id, due: deadline, (id, waiter))
    arrivals += 1
    return .sleeps
  }

  /// Ends a sleep, also one that has yet to begin.
  mutating func cancel(_ id: Int) -> Waiter? {
    if let sleeper = sleepers.remove(id) { return sleeper.waiter }
    cancelledEarly.insert(id)
    return nil
  }

  /// Forgets a sleep that is over, because its task runs again.
  mutating func end(_ id: Int) {
    cancelledEarly.remove(id)
    waking.remove(id)
  }

  /// Moves the time to the next deadline that is not after `limit`, or to `limit` if there is none.
  mutating func wakeNext(until limit: Instant) -> Waiter? {
    guard let sleeper = sleepers.takeNext(until: limit) else { return nil }
    waking.insert(sleeper.id)
    return sleeper.waiter
  }
}
#endif
