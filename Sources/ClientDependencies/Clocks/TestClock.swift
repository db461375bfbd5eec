#if !PointFreeDependencies
/// A clock whose time moves only when a test says so.
///
/// ```swift
/// let clock = TestClock()
/// let timer = withDependencies {
///   $0.continuousClock = clock
/// } operation: {
///   SleepTimer()
/// }
/// async let fading: Void = timer.fadeOut(after: .seconds(2))
/// await clock.sleepers(atLeast: 1)
/// await clock.advance(by: .seconds(2))
/// ```
public final class TestClock<Duration: DurationProtocol & Hashable>: Clock {
  /// A time on the clock, as the distance from its start.
  public typealias Instant = ClockInstant<Duration>
  typealias Sleep = CheckedContinuation<Void, any Error>
  typealias Watch = CheckedContinuation<Void, Never>

  struct State {
    var queue: SleepQueue<Duration, Sleep>
    var watches: [(id: Int, count: Int, continuation: Watch)] = []
  }

  /// The distance that sleeps may add without an error: none.
  public let minimumResolution: Duration = .zero
  // Held for one change of the queue; what it says to resume is resumed after the lock is released.
  let state: Lock<State>

  /// Makes a clock that shows `now`.
  public init(now: Instant = Instant()) {
    state = Lock(State(queue: SleepQueue(now: now)))
  }

  /// The time, which only `advance` and `run` move.
  public var now: Instant { state.withLock { $0.queue.now } }

  /// Sleeps until a test has moved the time to the deadline.
  ///
  /// - Throws: `CancellationError` as soon as the task is cancelled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try Task.checkCancellation()
    let id = state.withLock { $0.queue.nextID() }
    defer { state.withLock { $0.queue.end(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { sleep(id, until: deadline, $0) }
    } onCancel: {
      state.withLock { $0.queue.cancel(id) }?.resume(throwing: CancellationError())
    }
  }

  private func sleep(_ id: Int, until deadline: Instant, _ sleep: Sleep) {
    let (arrival, watches) = state.withLock { state in
      (state.queue.sleep(id, until: deadline, sleep), state.takeFulfilledWatches())
    }
    switch arrival {
    case .sleeps: break
    case .isDue: sleep.resume()
    case .isCancelled: sleep.resume(throwing: CancellationError())
    }
    for watch in watches { watch.resume() }
  }
}

extension TestClock where Duration == Swift.Duration {
  /// Makes a clock whose time is at zero.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension TestClock.State {
  mutating func takeFulfilledWatches() -> [TestClock.Watch] {
    let count = queue.count
    let fulfilled = watches.filter { $0.count <= count }
    watches.removeAll { $0.count <= count }
    return fulfilled.map(\.continuation)
  }

  mutating func takeWatch(_ id: Int) -> TestClock.Watch? {
    watches.firstIndex { $0.id == id }.map { watches.remove(at: $0).continuation }
  }
}
#endif
