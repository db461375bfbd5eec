import AudioCore
import SoundCard

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
