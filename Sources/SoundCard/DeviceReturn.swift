/// When a device that was lost is tried, and who still waits for it; without threads or clocks.
///
/// All times are counted from the loss.
package struct DeviceReturn<Waiter: Hashable & Sendable>: Sendable {
  /// What to do now.
  package enum Action: Equatable {
    /// Open the device; `opened` or `failed` says what came of it.
    case open
    /// These have waited for as long as they wanted to.
    case expire([Waiter])
    /// Nothing before that time, unless something happens.
    case sleep(until: Duration)
    /// Nothing until something happens.
    case rest
    /// The waiting is over.
    case over
  }

  private enum Phase {
    case away
    case opening
    case back
  }

  private static var early: [Duration] { [.seconds(1), .seconds(2), .seconds(4)] }
  private static var interval: Duration { .seconds(5) }
  /// An opening that fails may look like a change itself.
  private static var pause: Duration { .milliseconds(250) }

  private var waiters: [Waiter: Duration] = [:]
  private var phase = Phase.away
  private var attempts = 0
  private var hasChanged = false
  private var rest = Duration.zero

  /// A device that was lost just now.
  package init() {}

  /// Somebody waits until then.
  package mutating func join(_ waiter: Waiter, until deadline: Duration) {
    waiters[waiter] = deadline
  }

  /// Somebody does not wait any more.
  package mutating func leave(_ waiter: Waiter) {
    waiters[waiter] = nil
  }

  /// The system says that devices have come or gone.
  package mutating func changed() {
    hasChanged = true
  }

  /// The device is open.
  package mutating func opened() {
    phase = .back
  }

  /// It could not be opened.
  package mutating func failed(at time: Duration) {
    phase = .away
    rest = time + Self.pause
  }

  /// It is lost again, before it did anything.
  package mutating func lose() {
    if phase != .opening { phase = .away }
  }

  /// What to do at this time.
  package mutating func next(at time: Duration) -> Action {
    let expired = waiters.filter { $0.value <= time && phase != .back }.map(\.key)
    guard expired.isEmpty else {
      for waiter in expired { waiters[waiter] = nil }
      return .expire(expired)
    }
    guard let deadline = waiters.values.min() else { return .over }
    switch phase {
    case .back: return .rest
    case .opening: return .sleep(until: deadline)
    case .away: return due <= time ? open(at: time) : .sleep(until: min(due, deadline))
    }
  }

  private var due: Duration { hasChanged ? rest : Self.attempt(attempts) }

  private mutating func open(at time: Duration) -> Action {
    phase = .opening
    hasChanged = false
    while Self.attempt(attempts) <= time { attempts += 1 }
    return .open
  }

  private static func attempt(_ number: Int) -> Duration {
    number < early.count
      ? early[number] : early[early.count - 1] + interval * (number - early.count + 1)
  }
}
