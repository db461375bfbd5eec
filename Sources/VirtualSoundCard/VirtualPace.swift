import AudioCore
import SoundCard

/// What sets the speed of a virtual sound card.
public enum VirtualPace: Sendable {
  /// A clock that goes on whatever the engine does: an engine that is late gets an xrun, as on
  /// hardware.
  ///
  /// Its ticks are a period or 10 ms apart, whichever is shorter, and a time-out is noticed at one.
  case clock(any Clock<Duration>)
  /// A clock, but the card never runs ahead of an engine that is about to serve it: with a test's
  /// clock every run is the same, however slow the machine.
  ///
  /// What an engine is late by the card makes up for at once, as fast as the engine goes; where it
  /// is more than `slack`, it slips instead and goes on at its pace. Nil, for a test's clock, is no
  /// limit.
  case lockstep(any Clock<Duration>, slack: Duration? = nil)
  /// As fast as the engine goes; the card's time is that of the frames that went through it.
  case untimed

  /// Real time.
  public static let realTime = VirtualPace.clock(ContinuousClock())
}

/// Lets the time of a virtual device pass, step by step, by a clock.
enum VirtualPacer {
  /// Starts the pacer of a device, nil where nothing paces it; it ends when the device is closed or
  /// gone.
  static func start(_ pace: VirtualPace, for device: VirtualDevice) -> Task<Void, Never>? {
    switch pace {
    case .untimed: nil
    case .clock(let clock):
      run(clock, for: device, inLockstep: false, slack: .milliseconds(50))
    case .lockstep(let clock, let slack):
      run(clock, for: device, inLockstep: true, slack: slack)
    }
  }

  private static func run(
    _ clock: any Clock<Duration>, for device: VirtualDevice, inLockstep: Bool, slack: Duration?
  ) -> Task<Void, Never> {
    let rate = device.configuration.format.sampleRate
    let period = device.configuration.period
    let finest = max(1, FrameCount(.milliseconds(10), at: rate))
    let step = inLockstep ? period : min(period, finest)
    return Task { [weak device] in
      await pace(clock, every: step.duration(at: rate), slack: slack) {
        if inLockstep { await device?.settled() }
        return device?.tick(step) ?? false
      }
    }
  }

  /// Calls `tick` at every multiple of `step` until it returns false or the task is cancelled.
  ///
  /// What took longer than `slack`, a pool that was busy or an engine that was waited for, makes the
  /// card slip: it would play what it missed in one burst.
  private static func pace<C: Clock<Duration>>(
    _ clock: C, every step: Duration, slack: Duration?, tick: () async -> Bool
  ) async {
    var deadline = clock.now
    repeat {
      deadline = deadline.advanced(by: step)
      if let slack, deadline.advanced(by: slack) < clock.now { deadline = clock.now }
      do { try await clock.sleep(until: deadline, tolerance: .zero) } catch { return }
    } while await tick()
  }
}
