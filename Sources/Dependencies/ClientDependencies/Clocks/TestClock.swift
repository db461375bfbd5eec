#if !PointFreeDependencies
/// A clock whose time a test controls.
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
  /// A time on the clock, as the duration since the clock's start.
  public typealias Instant = ClockInstant<Duration>
  typealias Sleep = CheckedContinuation<Void, any Error>
  typealias Watch = CheckedContinuation<Void, Never>

  struct State {
    var queue: SleepQueue<Duration, Sleep>
    var watches: [(id: Int, count: Int, continuation: Watch)] = []
    var holders: [WeakTimeHolder] = []
  }

  /// Always zero.
  public let minimumResolution: Duration = .zero
  // The lock is held for one change of the queue. Sleepers are resumed after its release.
  let state: Lock<State>

  /// Creates a clock at the time `now`.
  public init(now: Instant = Instant()) {
    state = Lock(State(queue: SleepQueue(now: now)))
  }

  /// The clock's time, which only `advance` and `run` change.
  public var now: Instant { state.withLock { $0.queue.now } }

  /// Sleeps until the test advances the time to the deadline.
  ///
  /// A sleep of zero ends at the next `advance`; a deadline in the past does not suspend.
  ///
  /// - Throws: `CancellationError` as soon as the task is canceled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleep(until: deadline) {}
  }

  /// Sleeps until the deadline, then calls `wake`; the time does not advance until `wake` has
  /// returned.
  package func sleep(until deadline: Instant, wake: () -> Void) async throws {
    try Task.checkCancellation()
    let id = state.withLock { $0.queue.nextID() }
    defer { state.withLock { $0.queue.end(id) } }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { sleep(id, until: deadline, $0) }
    } onCancel: {
      state.withLock { $0.queue.cancel(id) }?.resume(throwing: CancellationError())
    }
    wake()
  }

  private func sleep(_ id: Int, until deadline: Instant, _ sleep: Sleep) {
    let (arrival, watches) = state.withLock { state in
      (
        state.queue.sleep(id, until: deadline, task: Task.name, sleep),
        state.popFulfilledWatches()
      )
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
  /// Creates a clock at time zero.
  public convenience init() {
    self.init(now: Instant())
  }
}

extension TestClock.State {
  mutating func popFulfilledWatches() -> [TestClock.Watch] {
    let count = queue.count
    let fulfilled = watches.filter { $0.count <= count }
    watches.removeAll { $0.count <= count }
    return fulfilled.map(\.continuation)
  }

  mutating func removeWatch(_ id: Int) -> TestClock.Watch? {
    watches.firstIndex { $0.id == id }.map { watches.remove(at: $0).continuation }
  }
}

extension TestClock {
  /// Advances the time and wakes all due sleepers in the order of their deadlines.
  ///
  /// Each woken task runs before the next sleeper wakes. If the task sleeps again within the
  /// duration, it is woken again.
  public func advance(by duration: Duration = .zero) async {
    await advance(to: now.advanced(by: duration))
  }

  /// Advances the time to `deadline` and wakes all due sleepers in the order of their deadlines.
  public func advance(to deadline: Instant) async {
    await letOthersRun()
    await waitForHolders()
    while await wakeNext(until: deadline) {}
  }

  /// Wakes the next sleeper, lets tasks run, and returns true.
  ///
  /// The tasks run until one of them has begun to sleep, or until no task can be about to sleep. If
  /// no sleeper is due by `deadline`, sets the time to `deadline` and returns false.
  func wakeNext(until deadline: Instant) async -> Bool {
    guard let (sleep, arrivals) = popNext(until: deadline) else { return false }
    sleep.resume()
    await letOthersRun(until: { $0.arrivals > arrivals })
    await waitForHolders()
    return true
  }

  /// Advances the time until no task sleeps.
  ///
  /// - Parameter timeout: the real time after which the call stops and reports an issue, in case a
  ///   task sleeps in an endless loop.
  public func run(
    timeout: Swift.Duration = .seconds(60),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let end = ContinuousClock.now + timeout
    await letOthersRun()
    await waitForHolders()
    while let deadline = state.withLock({ $0.queue.nextDeadline }) {
      _ = await wakeNext(until: deadline)
      guard ContinuousClock.now < end else {
        reportIssue(
          """
          A task still sleeps on the clock after \(timeout): 'run' is for sleeps that end. \
          \(sleepersDescription)
          """, fileID: fileID, filePath: filePath, line: line, column: column)
        return
      }
    }
  }

  /// Checks that no task sleeps.
  ///
  /// - Throws: ``SuspensionError`` if a task sleeps.
  public func checkSuspension() async throws {
    await letOthersRun()
    if state.withLock({ $0.queue.count }) > 0 { throw SuspensionError() }
  }

  /// Returns once at least `count` tasks sleep on the clock, or the calling task is canceled.
  ///
  /// - Parameters:
  ///   - count: the number of sleeping tasks to wait for.
  ///   - timeout: the real time after which the call stops and reports an issue that lists the
  ///     sleepers.
  public func sleepers(
    atLeast count: Int,
    timeout: Swift.Duration = .seconds(30),
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) async {
    let isTimeout = await withTaskGroup { group in
      defer { group.cancelAll() }
      group.addTask {
        await self.watch(for: count)
        return false
      }
      group.addTask {
        try? await ContinuousClock().sleep(for: timeout)
        return true
      }
      return await group.next() == true
    }
    guard isTimeout, !Task.isCancelled, state.withLock({ $0.queue.count < count }) else { return }
    reportIssue(
      "Fewer than \(count) tasks sleep on the clock after \(timeout). \(sleepersDescription)",
      fileID: fileID, filePath: filePath, line: line, column: column)
  }

  /// The current time and, for each sleeper, its task's name and deadline.
  var sleepersDescription: String {
    let (now, all) = state.withLock { ($0.queue.now, $0.queue.descriptions) }
    return "At \(now.offset), \(all.isEmpty ? "no task sleeps" : all.joined(separator: ", "))."
  }

  /// Returns once at least `count` tasks sleep on the clock, or the calling task is canceled.
  package func watch(for count: Int) async {
    let id = state.withLock { $0.queue.nextID() }
    await withTaskCancellationHandler {
      await withCheckedContinuation { watch(id, count, $0) }
    } onCancel: {
      endWatch(id)
    }
  }

  private func watch(_ id: Int, _ count: Int, _ continuation: Watch) {
    let fulfilled = state.withLock { state in
      state.watches.append((id, count, continuation))
      return state.popFulfilledWatches()
    }
    for watch in fulfilled { watch.resume() }
    // If the task was canceled before the watch was stored, the cancellation handler found nothing
    // to end, so end the watch here.
    if Task.isCancelled { endWatch(id) }
  }

  private func endWatch(_ id: Int) {
    state.withLock { $0.removeWatch(id) }?.resume()
  }

  /// Waits for other tasks to reach their next sleep.
  ///
  /// The wait ends soon after a task has begun to sleep, or when no other task can be about to
  /// sleep; see `QuiescenceDetector`. This thread sleeps while others run, because spinning on a
  /// busy machine could keep a woken task from running.
  func letOthersRun(
    until isReady: (SleepQueue<Duration, Sleep>) -> Bool = { _ in false }
  ) async {
    var detector = QuiescenceDetector()
    var main = endOfMainActorsWork()
    while true {
      await Task.megaYield(count: 5)
      let (isReady, isWaking) = state.withLock { (isReady($0.queue), $0.queue.isWaking) }
      let isOver = detector.isOver(
        isReady: isReady, isWaking: isWaking, isMainDone: main.withLock { $0 },
        running: ProcessThreads.running)
      if main.withLock({ $0 }) { main = endOfMainActorsWork() }
      if isOver { return await Task.megaYield(count: 5) }
      // The sleep ends early if the test is canceled.
      if !detector.isQuiet { try? await ContinuousClock().sleep(for: .milliseconds(1)) }
    }
  }

  /// Returns a value that becomes true when the main actor has finished its current work.
  private func endOfMainActorsWork() -> Lock<Bool> {
    let end = Lock(false)
    Task { @MainActor in end.withLock { $0 = true } }
    return end
  }

  private func popNext(until deadline: Instant) -> (Sleep, arrivals: Int)? {
    state.withLock { state in
      state.queue.wakeNext(until: deadline).map { ($0, state.queue.arrivals) }
    }
  }
}

/// The error that `checkSuspension()` throws if a task sleeps on the clock.
public struct SuspensionError: Error, Equatable, CustomStringConvertible {
  /// Creates the error.
  public init() {}

  /// A short description for users.
  public var description: String {
    "A task sleeps on the clock: advance the clock or cancel the task before the test ends."
  }
}
#endif
