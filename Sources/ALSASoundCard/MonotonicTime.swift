import AudioCore
import Glibc

/// A moment on the system's monotonic clock, the one that ALSA's timestamps use.
struct MonotonicTime: Comparable {
  var nanoseconds: Int64

  /// The corresponding C function is `clock_gettime(CLOCK_MONOTONIC)`.
  static var now: MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  static func < (lhs: Self, rhs: Self) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

  static func + (time: Self, duration: Duration) -> Self {
    MonotonicTime(nanoseconds: time.nanoseconds + duration.inNanoseconds)
  }

  static func - (end: Self, start: Self) -> Duration {
    let (seconds, rest) = (end.nanoseconds - start.nanoseconds)
      .quotientAndRemainder(dividingBy: 1_000_000_000)
    return Duration(secondsComponent: seconds, attosecondsComponent: rest * 1_000_000_000)
  }
}
