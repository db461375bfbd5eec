import AudioCore
import Glibc

/// A moment on one of the system's clocks; moments on different ones have no difference.
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

/// A moment on the clock that stands still while the machine sleeps: how long a device or its
/// thread took.
///
/// ALSA's timestamps are asked for on it as well.
struct MonotonicTime: SystemTime {
  static var clock: clockid_t { CLOCK_MONOTONIC }
  var nanoseconds: Int64
}

/// A moment on the clock that goes on while the machine sleeps: how much of the world's sound a
/// device has missed.
struct BootTime: SystemTime {
  static var clock: clockid_t { CLOCK_BOOTTIME }
  var nanoseconds: Int64
}
