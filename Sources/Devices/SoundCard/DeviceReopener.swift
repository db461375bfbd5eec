package import AudioCore
import AudioThreads
import Synchronization

/// The schedule for reopening a lost device, with its waiters; without threads or clocks.
///
/// All times are measured from the loss.
package struct ReopeningSchedule: Sendable {
  /// The next step.
  package enum Action: Equatable {
    /// Open the device and report the outcome with `opened` or `failed`.
    case open
    /// The deadlines of these waiters have passed.
    case expire([Int])
    /// Sleep until this time, unless something happens.
    case sleep(until: Duration)
    /// Sleep until something happens.
    case rest
    /// No waiters are left.
    case over
  }

  private enum Phase {
    case away
    case opening
    case back
  }

  /// Whether an attempt to open the device has not ended.
  package var isOpening: Bool { phase == .opening }

  private static var early: [Duration] { [.seconds(1), .seconds(2), .seconds(4)] }
  private static var interval: Duration { .seconds(5) }
  /// The pause after a failed attempt, which may itself trigger a device change.
  private static var pause: Duration { .milliseconds(250) }

  private var waiters: [Int: Duration] = [:]
  private var phase = Phase.away
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

  /// Records a change of the system's devices.
  package mutating func changed() {
    hasChanged = true
  }

  /// Records that the device is open.
  package mutating func opened() {
    phase = .back
  }

  /// Records a failed attempt.
  package mutating func failed(at time: Duration) {
    phase = .away
    rest = time + Self.pause
  }

  /// Records that the reopened device was lost again.
  package mutating func lose() {
    if phase != .opening { phase = .away }
  }

  /// Returns the step for this time.
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

/// Reopens a lost device for all its waiters.
///
/// Thread safety: any thread may call it.
package final class DeviceReopener<Device: Sendable>: Sendable {
  private struct State {
    var schedule = ReopeningSchedule()
    var device: (device: Device, away: Duration)?
    var expired: [Int] = []
    var isOver = false
    var isEnded = false
    var tasks: [Task<Void, Never>] = []
    var opening: Task<Void, Never>?
  }

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
  ///   - open: opens the device.
  ///   - close: closes a device that no waiter uses.
  ///   - changes: makes a stream of device changes.
  ///   - lockstep: the lockstep of a virtual card.
  ///   - notify: called on any thread when a result is available.
  package init(
    open: @escaping @Sendable () async throws -> Device,
    close: @escaping @Sendable (Device) -> Void,
    changes: @escaping @Sendable () -> AsyncStream<Void>,
    clock: any Clock<Duration>, lockstep: Lockstep? = nil,
    notify: @escaping @Sendable () -> Void
  ) {
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

  /// Records that the device was lost again.
  package func lose() {
    perform { $0.schedule.lose() }
  }

  /// Removes and returns the waiters whose deadlines have passed.
  package func popExpired() -> [Int] {
    state.withLock { state in
      defer { state.expired = [] }
      return state.expired
    }
  }

  /// Removes and returns the reopened device and the time that it was away.
  package func popDevice() -> (device: Device, away: Duration)? {
    state.withLock { $0.device.take() }
  }

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
    if let device { closeDevice(device.device) }
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

  /// Waits for the next event; the card's time continues meanwhile, unless the device is being
  /// opened.
  private func rest(since begins: Int?, _ wakeUps: inout AsyncStream<Void>.Iterator) async {
    if !state.withLock({ $0.schedule.isOpening }) { hold?.end(at: begins) }
    await wakeUps.next()
  }

  private func run() async {
    var wakeUps = events.makeAsyncIterator()
    while !Task.isCancelled {
      let begins = hold?.count
      switch state.withLock({ $0.schedule.next(at: stopwatch.elapsed()) }) {
      case .open: open()
      case .expire(let waiters):
        state.withLock { $0.expired += waiters }
        notify()
      case .sleep(let time):
        let alarm = Task { [weak self, stopwatch] in
          if case .some = try? await stopwatch.sleep(time) { self?.wake() }
        }
        await rest(since: begins, &wakeUps)
        alarm.cancel()
      case .rest: await rest(since: begins, &wakeUps)
      case .over:
        state.withLock { $0.isOver = true }
        notify()
        hold?.end()
        return
      }
    }
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
    let isWanted = state.withLock { [away = stopwatch.elapsed()] state in
      guard !state.isEnded, !state.isOver else { return false }
      state.schedule.opened()
      state.device = (device, away)
      return true
    }
    guard isWanted else { return closeDevice(device) }
    notify()
    wake()
  }
}
