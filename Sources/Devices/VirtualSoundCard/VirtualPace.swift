import AudioCore
import AudioThreads
import ClientDependencies
import SoundCard

/// The time base of a virtual sound card.
public enum VirtualPace: Sendable {
  /// A free-running clock: a late engine gets an xrun, as on hardware.
  ///
  /// Its ticks are a period or 10 ms apart, whichever is shorter; timeouts are detected at ticks.
  case clock(any Clock<Duration>)
  /// A clock that waits for the engine instead of letting it miss a deadline.
  ///
  /// A `TestClock` waits until every consumer has processed the card's audio: the engines, a
  /// recognizer including its backlog, and a feature that reads an engine's stream. The feature has
  /// processed an element when it requests the next element or waits for something else. Every run
  /// is then identical, as long as each consumer responds within 20 seconds.
  ///
  /// If the card is late, it catches up as fast as the engine runs. If it is late by more than
  /// `slack`, it skips the delay instead. Nil means no limit, as test clocks need.
  case lockstep(any Clock<Duration>, slack: Duration? = nil)
  /// As fast as the engine runs; the card's time is the duration of the transferred frames.
  case untimed

  /// Real time.
  public static let realTime = VirtualPace.clock(ContinuousClock())
}

extension VirtualPace {
  /// Starts the task that advances a device's time by the clock, from the card time `time` until
  /// the device ends.
  ///
  /// Returns nil for an untimed card, which needs no task.
  func start(for device: VirtualDevice, at time: Duration) -> Task<Void, Never>? {
    switch self {
    case .untimed: nil
    case .clock(let clock):
      Self.run(clock, for: device, at: time, inLockstep: false, slack: .milliseconds(50))
    case .lockstep(let clock, let slack):
      Self.run(clock, for: device, at: time, inLockstep: true, slack: slack)
    }
  }

  private static func run<C: Clock<Duration>>(
    _ clock: C, for device: VirtualDevice, at time: Duration, inLockstep: Bool, slack: Duration?
  ) -> Task<Void, Never> {
    let rate = device.configuration.format.sampleRate
    let period = device.configuration.period
    let finest = max(1, FrameCount(.milliseconds(10), at: rate))
    let step = inLockstep ? period : min(period, finest)
    // The device's time begins here, not when the task runs.
    let start = clock.now
    return Task(name: "the virtual \(device.direction)") { [weak device] in
      await pace(
        clock, from: start, every: step.duration(at: rate), slack: slack,
        wake: { device?.expectTick() },
        hasRested: {
          guard inLockstep else { return false }
          // This task must not retain the device while it waits, so that the device can be
          // released.
          await withCheckedContinuation { pacer in
            if let device { device.resumeWhenEngineIsIdle(pacer) } else { pacer.resume() }
          }
          return device?.consumeRest() == true
        },
        tick: { device?.tick(step, at: time + start.duration(to: $0)) ?? false })
    }
  }

  /// Calls `tick` with every multiple of `step` until it returns false or the task is canceled.
  ///
  /// If a tick is late by more than `slack`, because the thread pool is busy or the engine slow,
  /// the delay is skipped. Otherwise, the card would catch up in one burst. Time in which the
  /// engine had nothing to play is skipped, too.
  private static func pace<C: Clock<Duration>>(
    _ clock: C, from start: C.Instant, every step: Duration, slack: Duration?, wake: () -> Void,
    hasRested: () async -> Bool, tick: (C.Instant) -> Bool
  ) async {
    var deadline = start
    repeat {
      deadline = deadline.advanced(by: step)
      if let slack, deadline.advanced(by: slack) < clock.now { deadline = clock.now }
      // For a deadline that has passed, a test clock would sleep until it is advanced, so only
      // yield.
      if clock.now >= deadline {
        await Task.yield()
        if Task.isCancelled { return }
        wake()
      } else {
        do { try await clock.sleep(until: deadline, wake: wake) } catch { return }
      }
      if await hasRested() { deadline = clock.now }
    } while tick(deadline)
  }
}

extension VirtualPace {
  /// Adds a lockstep to the test clock, which then waits for the card's consumers; returns nil for
  /// any other pace.
  func makeLockstep() -> Lockstep? {
    #if !PointFreeDependencies
    guard case .lockstep(let clock as TestClock<Duration>, _) = self else { return nil }
    let lockstep = Lockstep()
    clock.add(lockstep)
    return lockstep
    #else
    return nil
    #endif
  }

  /// A stopwatch that measures card time; nil for an untimed card.
  var stopwatch: Stopwatch? {
    switch self {
    case .untimed: nil
    case .clock(let clock), .lockstep(let clock, _): Stopwatch(clock)
    }
  }
}

extension Clock<Duration> {
  /// Sleeps until the deadline and then calls `wake`; a test clock does not advance further until
  /// `wake` has returned.
  fileprivate func sleep(until deadline: Instant, wake: () -> Void) async throws {
    #if !PointFreeDependencies
    if let clock = self as? TestClock<Duration>,
      let deadline = deadline as? ClockInstant<Duration>
    {
      return try await clock.sleep(until: deadline, wake: wake)
    }
    #endif
    try await sleep(until: deadline, tolerance: .zero)
    wake()
  }
}

#if !PointFreeDependencies
extension Lockstep: TimeHolder {}
#endif
