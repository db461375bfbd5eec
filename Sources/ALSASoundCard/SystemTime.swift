import AudioCore
import Glibc

/// A timestamp of a system clock; timestamps of different clocks cannot be subtracted.
protocol SystemTime: Comparable {
  static var clock: clockid_t { get }
  var nanoseconds: Int64 { get }
  init(nanoseconds: Int64)
}

extension SystemTime {
  /// The corresponding C function is `clock_gettime`.
  static var now: Self {
    var time = timespec()
    clock_gettime(clock, &time)
    return Self(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  static func + (time: Self, duration: Duration) -> Self {
    Self(nanoseconds: time.nanoseconds + duration.inNanoseconds)
  }

  static func - (end: Self, start: Self) -> Duration {
    let (seconds, rest) = (end.nanoseconds - start.nanoseconds)
      .quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(secondsComponent: seconds, attosecondsComponent: rest * 1_000_000_000)
  }
}

/// A timestamp of the clock that pauses while the machine sleeps, for the duration of calls and
/// ALSA's timestamps.
struct MonotonicTime: SystemTime {
  static var clock: clockid_t { CLOCK_MONOTONIC }
  var nanoseconds: Int64
}

/// A timestamp of the clock that continues while the machine sleeps, for the duration of lost
/// audio.
struct BootTime: SystemTime {
  static var clock: clockid_t { CLOCK_BOOTTIME }
  var nanoseconds: Int64
}
