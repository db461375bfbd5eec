package import AudioCore
import AudioThreads
import Synchronization

/// The schedule for reopening a lost device, with its waiters, as a state machine without threads
/// or clocks.
///
/// All times are measured from the loss. The first waiters join before the first call of `advance`.
/// Call `advance` after every event, and again at `nextStep`.
package struct ReopeningSchedule: Sendable {
  private static var early: [Duration] { [.seconds(1), .seconds(2), .seconds(4)] }
  private static var interval: Duration { .seconds(5) }
  /// The pause after a failed attempt, because the attempt may itself trigger a device change.
  private static var pause: Duration { .milliseconds(250) }

  /// The deadlines of the waiters.
  private var waiters: [Int: Duration] = [:]
  private var expired: [Int] = []
  /// Whether an attempt to open the device is in progress.
  package private(set) var isOpening = false
  private var isOpen = false
  /// Whether the device is lost, and has not run again since.
  package private(set) var isDeviceLost = true
  /// The time from the loss until the device was last opened.
  package private(set) var gap = Duration.zero
  /// Whether the wait for the device is over: `advance` found no waiters, or `end` was called.
  package private(set) var isOver = false
  private var attempts = 0
  private var hasChanged = false
  private var rest = Duration.zero

  /// Creates the schedule at the moment of the loss.
  package init() {}

  /// Adds a waiter with its deadline.
  package mutating func join(_ waiter: Int, until deadline: Duration) {
    waiters[waiter] = deadline
  }

  /// Removes a waiter.
  package mutating func leave(_ waiter: Int) {
    waiters[waiter] = nil
  }

  /// Whether a waiter is still waiting: it has not left, and `popExpired` has not returned it.
  package func contains(_ waiter: Int) -> Bool {
    waiters[waiter] != nil || expired.contains(waiter)
  }

  /// Records a change of the system's devices.
  package mutating func changed() {
    hasChanged = true
  }

  /// Records that the attempt has opened the device.
  package mutating func opened(at time: Duration) {
    (isOpening, isOpen, gap) = (false, true, time)
  }

  /// Records that the attempt has failed.
  package mutating func failed(at time: Duration) {
    (isOpening, isOpen) = (false, false)
    rest = time + Self.pause
  }

  /// Records that the reopened device runs.
  package mutating func adopted() {
    isDeviceLost = false
  }

  /// Records that the reopened device was lost again.
  package mutating func lose() {
    (isOpen, isDeviceLost) = (false, true)
  }

  /// Ends the wait for the device.
  package mutating func end() {
    isOver = true
  }

  /// Expires the waiters whose deadlines have passed, and begins an attempt if one is due.
  ///
  /// While the device is open, this method does neither. `opened` or `failed` ends the attempt.
  ///
  /// - Returns: whether any waiters expired, and whether an attempt begins.
  package mutating func advance(to time: Duration) -> (hasExpired: Bool, opens: Bool) {
    let hasExpired = !isOpen && expire(at: time)
    isOver = isOver || waiters.isEmpty
    guard !isOver, !isOpening, !isOpen, due <= time else { return (hasExpired, false) }
    isOpening = true
    hasChanged = false
    while Self.attempt(attempts) <= time { attempts += 1 }
    return (hasExpired, true)
  }

  private mutating func expire(at time: Duration) -> Bool {
    let late = waiters.filter { $0.value <= time }.map(\.key)
    for waiter in late { waiters[waiter] = nil }
    expired += late
    return !late.isEmpty
  }

  /// Removes and returns the expired waiters.
  package mutating func popExpired() -> [Int] {
    defer { expired = [] }
    return expired
  }

  /// The time at which to call `advance` again; nil if only an event requires a call.
  package var nextStep: Duration? {
    guard !isOpen, let deadline = waiters.values.min() else { return nil }
    return isOpening ? deadline : min(due, deadline)
  }

  private var due: Duration { hasChanged ? rest : Self.attempt(attempts) }

  private static func attempt(_ number: Int) -> Duration {
    number < early.count
      ? early[number] : early[early.count - 1] + interval * (number - early.count + 1)
  }
}

/// Reopens a lost device for all its waiters.
///
/// Thread safety: all methods may be called from any thread.
package final class DeviceReopener<Device: Sendable>: Sendable {
  /// The error with which the device was lost.
  let error: SoundCardError
  private let openDevice: @Sendable () async throws -> Device
  private let closeDevice: @Sendable (Device) -> Void
  private let changes: @Sendable () -> AsyncStream<Void>
  private let stopwatch: Stopwatch
  private let notify: @Sendable () -> Void
  private let events: AsyncStream<Void>
  private let event: AsyncStream<Void>.Continuation
  /// Stops the time of a virtual card, except while the reopener itself waits for that time to
  /// pass.
  private let hold: TimeHold?
  // The lock is held for a few instructions; actions are performed after its release. `device` is
  // the reopened device until `popDevice` removes it.
  private let state = Mutex<
    (schedule: ReopeningSchedule, device: Device?, running: Task<Void, Never>?)
  >((ReopeningSchedule(), nil, nil))

  /// Creates a reopener at the moment of the loss.
  ///
  /// - Parameters:
  ///   - error: the error with which the device was lost.
  ///   - open: opens the device.
  ///   - close: closes a device that no waiter uses.
  ///   - changes: makes a stream of device changes.
  ///   - clock: the clock that schedules the attempts.
  ///   - lockstep: the `Lockstep` of a virtual card; nil for any other card.
  ///   - notify: called on any thread when a result is available.
  package init(
    after error: SoundCardError, open: @escaping @Sendable () async throws -> Device,
    close: @escaping @Sendable (Device) -> Void,
    changes: @escaping @Sendable () -> AsyncStream<Void>,
    clock: any Clock<Duration>, lockstep: Lockstep? = nil,
    notify: @escaping @Sendable () -> Void
  ) {
    self.error = error
    (openDevice, closeDevice, self.changes, self.notify) = (open, close, changes, notify)
    stopwatch = Stopwatch(clock)
    (events, event) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    hold = TimeHold(lockstep, "a device that returns")
    hold?.begin()
  }

  /// Begins to reopen the device; call it after the first waiters have joined.
  package func start() {
    let running = Task { [self] in await run() }
    let isOver = state.withLock { state in
      state.running = running
      return state.schedule.isOver
    }
    if isOver { running.cancel() }
  }

  /// Adds a waiter, which expires after `limit`.
  package func join(_ waiter: Int, atMost limit: Duration) {
    let deadline = stopwatch.elapsed() + limit
    perform { $0.join(waiter, until: deadline) }
  }

  /// Removes a waiter.
  package func leave(_ waiter: Int) {
    perform { $0.leave(waiter) }
  }

  /// Whether a waiter is still waiting: it has not left, and `popExpired` has not returned it.
  package func contains(_ waiter: Int) -> Bool {
    state.withLock { $0.schedule.contains(waiter) }
  }

  /// Records that the device was lost again.
  package func lose() {
    perform { $0.lose() }
  }

  /// Removes and returns the waiters whose deadlines have passed.
  package func popExpired() -> [Int] {
    state.withLock { $0.schedule.popExpired() }
  }

  /// Removes and returns the reopened device.
  package func popDevice() -> Device? {
    state.withLock { $0.device.take() }
  }

  /// Records that the reopened device runs.
  package func adopted() {
    state.withLock { $0.schedule.adopted() }
  }

  /// Whether the device is lost, and has not run again since.
  package var isDeviceLost: Bool { state.withLock { $0.schedule.isDeviceLost } }

  /// The time from the first loss until the device was last opened.
  package var gap: Duration { state.withLock { $0.schedule.gap } }

  /// Whether the wait for the device is over.
  package var isOver: Bool { state.withLock { $0.schedule.isOver } }

  /// Ends the reopener, and closes a reopened device that `popDevice` has not returned.
  package func end() {
    let (running, device) = state.withLock { state in
      state.schedule.end()
      return (state.running.take(), state.device.take())
    }
    running?.cancel()
    event.finish()
    hold?.end()
    if let device { closeDevice(device) }
  }

  private func perform(_ step: (inout ReopeningSchedule) -> Void) {
    state.withLock { step(&$0.schedule) }
    wake()
  }

  /// Wakes the running task for its next step.
  private func wake() {
    if !state.withLock({ $0.schedule.isOver }) { hold?.begin() }
    event.yield()
  }

  /// Watches the system's devices and opens the device until the wait is over.
  private func run() async {
    await withDiscardingTaskGroup { group in
      group.addTask { [self] in
        for await _ in changes() { perform { $0.changed() } }
      }
      var wakeUps = events.makeAsyncIterator()
      while !Task.isCancelled {
        let begins = hold?.count
        let time = stopwatch.elapsed()
        let (step, schedule) = state.withLock { ($0.schedule.advance(to: time), $0.schedule) }
        if step.hasExpired || schedule.isOver { notify() }
        guard !schedule.isOver else {
          hold?.end()
          break
        }
        if step.opens { group.addTask { [self] in await open() } }
        await rest(schedule, since: begins, &wakeUps)
      }
      group.cancelAll()
    }
  }

  /// Waits for the next step or event.
  ///
  /// A virtual card's time continues during the wait, unless the device is being opened.
  private func rest(
    _ schedule: ReopeningSchedule, since begins: Int?,
    _ wakeUps: inout AsyncStream<Void>.Iterator
  ) async {
    let alarm = schedule.nextStep.map { time in
      Task { [weak self, stopwatch] in
        if case .some = try? await stopwatch.sleep(time) { self?.wake() }
      }
    }
    if !schedule.isOpening { hold?.end(at: begins) }
    await wakeUps.next()
    alarm?.cancel()
  }

  private func open() async {
    // The error is ignored, because ports report the error with which the device was lost; the next
    // attempt follows the schedule.
    guard let device = try? await openDevice() else {
      return perform { [time = stopwatch.elapsed()] in $0.failed(at: time) }
    }
    let isWanted = state.withLock { [time = stopwatch.elapsed()] state in
      guard !state.schedule.isOver else { return false }
      state.schedule.opened(at: time)
      state.device = device
      return true
    }
    guard isWanted else { return closeDevice(device) }
    notify()
    wake()
  }
}
