package import AudioCore
import AudioThreads
import Synchronization

/// The schedule for reopening a lost device, with its waiters; without threads or clocks.
///
/// All times are measured from the loss. The first waiters join before the first step. At each step
/// and after each event, `expire` is called before `tryBeginOpening`, and then `nextStep` is the
/// time of the next step. `opened` or `failed` ends each attempt that `tryBeginOpening` began, and
/// `lose` may follow `opened`.
package struct ReopeningSchedule: Sendable {
  private static var early: [Duration] { [.seconds(1), .seconds(2), .seconds(4)] }
  private static var interval: Duration { .seconds(5) }
  /// The pause after a failed attempt, which may itself trigger a device change.
  private static var pause: Duration { .milliseconds(250) }

  /// The deadlines of the waiters.
  private var waiters: [Int: Duration] = [:]
  private var expired: [Int] = []
  /// Whether an attempt to open the device has not ended.
  package private(set) var isOpening = false
  private var isOpen = false
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

  /// Whether a waiter has joined and neither left nor been returned by `popExpired`.
  package func contains(_ waiter: Int) -> Bool {
    waiters[waiter] != nil || expired.contains(waiter)
  }

  /// Whether no waiters are left.
  package var isOver: Bool { waiters.isEmpty }

  /// Records a change of the system's devices.
  package mutating func changed() {
    hasChanged = true
  }

  /// Records that the device is open.
  package mutating func opened() {
    (isOpening, isOpen) = (false, true)
  }

  /// Records a failed attempt.
  package mutating func failed(at time: Duration) {
    (isOpening, isOpen) = (false, false)
    rest = time + Self.pause
  }

  /// Records that the reopened device was lost again.
  package mutating func lose() {
    isOpen = false
  }

  /// Expires the waiters whose deadlines have passed, unless the device is open; returns whether
  /// there are any.
  package mutating func expire(at time: Duration) -> Bool {
    guard !isOpen else { return false }
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

  /// Begins an attempt to open the device if one is due; returns whether it began.
  package mutating func tryBeginOpening(at time: Duration) -> Bool {
    guard !isOpening, !isOpen, due <= time else { return false }
    isOpening = true
    hasChanged = false
    while Self.attempt(attempts) <= time { attempts += 1 }
    return true
  }

  /// The time of the next step; nil if only an event leads to one.
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
/// Thread safety: any thread may call it.
package final class DeviceReopener<Device: Sendable>: Sendable {
  private struct State {
    var schedule = ReopeningSchedule()
    /// The open device, until it is picked up.
    var device: Device?
    var isDeviceLost = true
    var gap = Duration.zero
    var isOver = false
    var isEnded = false
    var tasks: [Task<Void, Never>] = []
    var opening: Task<Void, Never>?
  }

  /// The error of the loss.
  let error: SoundCardError
  private let openDevice: @Sendable () async throws -> Device
  private let closeDevice: @Sendable (Device) -> Void
  private let changes: @Sendable () -> AsyncStream<Void>
  private let stopwatch: Stopwatch
  private let notify: @Sendable () -> Void
  private let events: AsyncStream<Void>
  private let event: AsyncStream<Void>.Continuation
  /// Holds the time of a virtual card, except while the reopener waits for that time.
  private let hold: TimeHold?
  // The lock is held for a few instructions; actions are performed after its release.
  private let state = Mutex(State())

  /// Creates a reopener at the moment of the loss.
  ///
  /// - Parameters:
  ///   - error: the error of the loss.
  ///   - open: opens the device.
  ///   - close: closes a device that no waiter uses.
  ///   - changes: makes a stream of device changes.
  ///   - lockstep: the lockstep of a virtual card.
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

  /// Starts; call it after the first waiters have joined.
  package func start() {
    let watching = Task { [self] in
      for await _ in changes() { perform { $0.schedule.changed() } }
    }
    let running = Task { [self] in await run() }
    let isEnded = state.withLock { state in
      state.tasks = [watching, running]
      return state.isEnded
    }
    if isEnded { end() }
  }

  /// Adds a waiter for at most `limit` from now on.
  package func join(_ waiter: Int, atMost limit: Duration) {
    let deadline = stopwatch.elapsed() + limit
    perform { $0.schedule.join(waiter, until: deadline) }
  }

  /// Removes a waiter.
  package func leave(_ waiter: Int) {
    perform { $0.schedule.leave(waiter) }
  }

  /// Whether a waiter has joined and neither left nor been returned by `popExpired`.
  package func contains(_ waiter: Int) -> Bool {
    state.withLock { $0.schedule.contains(waiter) }
  }

  /// Records that the device was lost again.
  package func lose() {
    perform { state in
      state.isDeviceLost = true
      state.schedule.lose()
    }
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
    state.withLock { $0.isDeviceLost = false }
  }

  /// Whether the device has not run since its last loss.
  package var isDeviceLost: Bool { state.withLock { $0.isDeviceLost } }

  /// The time from the first loss until the device was last opened.
  package var gap: Duration { state.withLock { $0.gap } }

  /// Whether the reopener has ended because no waiters are left.
  package var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends the reopener and closes a device that was not picked up.
  package func end() {
    let (tasks, device) = state.withLock { state in
      state.isEnded = true
      defer { (state.tasks, state.opening) = ([], nil) }
      return (state.tasks + [state.opening].compactMap(\.self), state.device.take())
    }
    for task in tasks { task.cancel() }
    event.finish()
    hold?.end()
    if let device { closeDevice(device) }
  }

  private func perform(_ step: (inout State) -> Void) {
    state.withLock { step(&$0) }
    wake()
  }

  /// Wakes the running task for its next step.
  private func wake() {
    if !state.withLock({ $0.isEnded || $0.isOver }) { hold?.begin() }
    event.yield()
  }

  private func run() async {
    var wakeUps = events.makeAsyncIterator()
    while !Task.isCancelled {
      let begins = hold?.count
      let time = stopwatch.elapsed()
      if state.withLock({ $0.schedule.expire(at: time) }) { notify() }
      let isOver = state.withLock { state in
        state.isOver = state.schedule.isOver
        return state.isOver
      }
      if isOver {
        notify()
        hold?.end()
        return
      }
      if state.withLock({ $0.schedule.tryBeginOpening(at: time) }) { open() }
      await rest(since: begins, &wakeUps)
    }
  }

  /// Waits for the next step or event; the card's time continues meanwhile, unless the device is
  /// being opened.
  private func rest(since begins: Int?, _ wakeUps: inout AsyncStream<Void>.Iterator) async {
    let schedule = state.withLock { $0.schedule }
    let alarm = schedule.nextStep.map { time in
      Task { [weak self, stopwatch] in
        if case .some = try? await stopwatch.sleep(time) { self?.wake() }
      }
    }
    if !schedule.isOpening { hold?.end(at: begins) }
    await wakeUps.next()
    alarm?.cancel()
  }

  private func open() {
    let opening = Task { [self] in
      do {
        keep(try await openDevice())
      } catch {
        perform { [time = stopwatch.elapsed()] in $0.schedule.failed(at: time) }
      }
    }
    let isEnded = state.withLock { state in
      state.opening = opening
      return state.isEnded
    }
    if isEnded { opening.cancel() }
  }

  private func keep(_ device: Device) {
    let isWanted = state.withLock { [gap = stopwatch.elapsed()] state in
      guard !state.isEnded, !state.isOver else { return false }
      state.schedule.opened()
      (state.device, state.gap) = (device, gap)
      return true
    }
    guard isWanted else { return closeDevice(device) }
    notify()
    wake()
  }
}
