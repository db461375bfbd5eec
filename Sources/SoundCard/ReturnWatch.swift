import Synchronization

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

/// Waits for a device that was lost, for all who wait for it, and opens it when it is back.
///
/// It tells whenever there is something to take. Thread safety: any thread may call it.
package final class ReturnWatch<Waiter: Hashable & Sendable, Device: Sendable>: Sendable {
  /// How a device is opened, how one that nobody wants is closed, and where changes are announced.
  package struct Door: Sendable {
    let open: @Sendable () async throws -> Device
    let close: @Sendable (Device) -> Void
    let changes: @Sendable () -> AsyncStream<Void>

    /// Describes a way to a device.
    package init(
      open: @escaping @Sendable () async throws -> Device,
      close: @escaping @Sendable (Device) -> Void,
      changes: @escaping @Sendable () -> AsyncStream<Void>
    ) {
      (self.open, self.close, self.changes) = (open, close, changes)
    }
  }

  private struct State {
    var machine: DeviceReturn<Waiter>
    var device: (device: Device, away: Duration)?
    var expired: [Waiter] = []
    var isOver = false
    var isEnded = false
    var tasks: [Task<Void, Never>] = []
    var opening: Task<Void, Never>?
  }

  private let door: Door
  private let stopwatch: Stopwatch
  private let tell: @Sendable () -> Void
  private let pokes: AsyncStream<Void>
  private let poke: AsyncStream<Void>.Continuation
  // Held for a few instructions; everything that it decides on is done after it is released.
  private let state: Mutex<State>

  /// The device is lost now.
  ///
  /// - Parameter tell: is called, on any thread, when there is something to take.
  package init(
    _ door: Door, clock: any Clock<Duration>, tell: @escaping @Sendable () -> Void
  ) {
    self.door = door
    self.tell = tell
    stopwatch = Stopwatch(clock)
    (pokes, poke) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    state = Mutex(State(machine: DeviceReturn()))
  }

  /// Begins, when those who wait have joined.
  package func start() {
    let watching = Task { [self] in
      for await _ in door.changes() { perform { $0.machine.changed() } }
    }
    let running = Task { [self] in await run() }
    let isEnded = state.withLock { state in
      state.tasks = [watching, running]
      return state.isEnded
    }
    if isEnded { end() }
  }

  /// Somebody waits from now on, for so long.
  package func join(_ waiter: Waiter, atMost limit: Duration) {
    let deadline = stopwatch.elapsed() + limit
    perform { $0.machine.join(waiter, until: deadline) }
  }

  /// Somebody does not wait any more.
  package func leave(_ waiter: Waiter) {
    perform { $0.machine.leave(waiter) }
  }

  /// The device is lost again.
  package func lose() {
    perform { $0.machine.lose() }
  }

  /// Those who have waited for as long as they wanted to, once.
  package func takeExpired() -> [Waiter] {
    state.withLock { state in
      defer { state.expired = [] }
      return state.expired
    }
  }

  /// The device that has been opened, once, and how long it was away.
  package func takeDevice() -> (device: Device, away: Duration)? {
    state.withLock { $0.device.take() }
  }

  /// Whether nobody waits any more, so that it has ended.
  package var isOver: Bool { state.withLock { $0.isOver } }

  /// Ends it; a device that nobody has taken is closed.
  package func end() {
    let (tasks, device) = state.withLock { state in
      state.isEnded = true
      defer { (state.tasks, state.opening) = ([], nil) }
      return (state.tasks + [state.opening].compactMap(\.self), state.device.take())
    }
    for task in tasks { task.cancel() }
    poke.finish()
    if let device { door.close(device.device) }
  }

  private func perform(_ step: (inout State) -> Void) {
    state.withLock { step(&$0) }
    poke.yield()
  }

  private func run() async {
    var news = pokes.makeAsyncIterator()
    while !Task.isCancelled {
      switch state.withLock({ $0.machine.next(at: stopwatch.elapsed()) }) {
      case .open: open()
      case .expire(let waiters):
        state.withLock { $0.expired += waiters }
        tell()
      case .sleep(let time):
        let alarm = Task { [stopwatch, poke] in
          if case .some = try? await stopwatch.sleep(time) { poke.yield() }
        }
        await news.next()
        alarm.cancel()
      case .rest: await news.next()
      case .over:
        state.withLock { $0.isOver = true }
        return tell()
      }
    }
  }

  private func open() {
    let opening = Task { [self] in
      do {
        came(try await door.open())
      } catch {
        perform { [time = stopwatch.elapsed()] in $0.machine.failed(at: time) }
      }
    }
    let isEnded = state.withLock { state in
      state.opening = opening
      return state.isEnded
    }
    if isEnded { opening.cancel() }
  }

  private func came(_ device: Device) {
    let isWanted = state.withLock { [away = stopwatch.elapsed()] state in
      guard !state.isEnded, !state.isOver else { return false }
      state.machine.opened()
      state.device = (device, away)
      return true
    }
    guard isWanted else { return door.close(device) }
    poke.yield()
    tell()
  }
}

/// The time since something happened, by any clock.
package struct Stopwatch: Sendable {
  /// How long ago that is.
  package let elapsed: @Sendable () -> Duration
  /// Sleeps until so much time has passed since then; throws where the task is cancelled.
  package let sleep: @Sendable (_ until: Duration) async throws -> Void

  /// It happens now.
  package init(_ clock: any Clock<Duration>) {
    self = Self.start(clock)
  }

  private init<C: Clock>(from beginning: C.Instant, by clock: C) where C.Duration == Duration {
    elapsed = { beginning.duration(to: clock.now) }
    sleep = { try await clock.sleep(until: beginning.advanced(by: $0), tolerance: nil) }
  }

  private static func start<C: Clock>(_ clock: C) -> Stopwatch where C.Duration == Duration {
    Stopwatch(from: clock.now, by: clock)
  }
}
