/// Who sleeps on a test clock, and until when: the clock's logic, without tasks.
///
/// Its methods change the state and return what to resume, which the clock does after its lock is
/// released.
struct SleepQueue<Duration: DurationProtocol & Hashable, Waiter> {
  typealias Instant = ClockInstant<Duration>

  private struct Sleeper {
    var id: Int
    var deadline: Instant
    var waiter: Waiter
  }

  enum Arrival {
    case sleeps
    case isDue
    case isCancelled
  }

  private(set) var now: Instant
  /// Counts the sleepers that came, so that a clock sees whether its resumed tasks sleep again.
  private(set) var arrivals = 0
  private var lastID = 0
  private var sleepers: [Sleeper] = []
  private var cancelledEarly: Set<Int> = []

  init(now: Instant) {
    self.now = now
  }

  var count: Int { sleepers.count }

  /// The earliest deadline; of several sleepers with the same one, the first that came is woken
  /// first.
  var nextDeadline: Instant? { sleepers.lazy.map(\.deadline).min() }

  mutating func nextID() -> Int {
    lastID += 1
    return lastID
  }

  mutating func sleep(_ id: Int, until deadline: Instant, _ waiter: Waiter) -> Arrival {
    if cancelledEarly.remove(id) != nil { return .isCancelled }
    if deadline <= now { return .isDue }
    sleepers.append(Sleeper(id: id, deadline: deadline, waiter: waiter))
    arrivals += 1
    return .sleeps
  }

  /// Ends a sleep, also one that has yet to begin.
  mutating func cancel(_ id: Int) -> Waiter? {
    guard let index = sleepers.firstIndex(where: { $0.id == id }) else {
      cancelledEarly.insert(id)
      return nil
    }
    return sleepers.remove(at: index).waiter
  }

  /// Forgets a sleep that is over.
  mutating func end(_ id: Int) {
    cancelledEarly.remove(id)
  }

  /// Moves the time to the next deadline that is not after `limit`, or to `limit` if there is none.
  mutating func wakeNext(until limit: Instant) -> Waiter? {
    guard let deadline = nextDeadline, deadline <= limit,
      let index = sleepers.firstIndex(where: { $0.deadline == deadline })
    else {
      now = max(now, limit)
      return nil
    }
    now = max(now, deadline)
    return sleepers.remove(at: index).waiter
  }
}
