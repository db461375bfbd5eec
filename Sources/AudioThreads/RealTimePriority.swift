import CLinux
import Glibc
import Logging

/// Real-time priority for audio threads, so that they run in time on a busy machine.
///
/// The kernel grants it where `RLIMIT_RTPRIO` allows; otherwise RTKit is asked. The outcome is
/// logged with the label `syrinx.threads` at level debug.
package enum RealTimePriority {
  /// Above normal threads, below the kernel's and the sound servers' threads.
  static let level: CInt = 10

  /// Requests real-time priority for the calling thread without blocking it.
  ///
  /// RTKit is asked on another thread. Call it only on a thread that sleeps in each period: a
  /// spinning real-time thread blocks the machine.
  ///
  /// - Parameter name: the thread's purpose, for the log.
  package static func request(for name: String) {
    let thread = syrinx_thread_id()
    guard setRoundRobin() < 0 else {
      return logger.debug("\(name) has real-time priority \(current), by RLIMIT_RTPRIO")
    }
    let reason = String(cString: strerror(errno))
    _ = try? DedicatedThread.start(name: "syrinx-rtkit") {
      do throws(RTKitError) {
        let priority = try RTKit().grant(thread, atMost: level)
        logger.debug("\(name) has real-time priority \(priority), by RTKit")
      } catch {
        logger.debug(
          "\(name) has normal priority: RLIMIT_RTPRIO is \(limit) (\(reason)); RTKit: \(error)")
      }
    }
  }

  /// The real-time priority of the calling thread, or 0.
  static var current: CInt {
    var parameters = sched_param()
    sched_getparam(0, &parameters)
    return parameters.sched_priority
  }

  /// Calls `sched_setscheduler`, which on Linux affects one thread.
  private static func setRoundRobin() -> CInt {
    var parameters = sched_param()
    parameters.sched_priority = limit == 0 ? level : min(level, limit)
    return sched_setscheduler(0, SCHED_RR | CInt(SYRINX_SCHED_RESET_ON_FORK), &parameters)
  }

  /// The highest priority for unprivileged threads; privileged threads need no limit.
  private static var limit: CInt {
    var limit = rlimit()
    getrlimit(CInt(__RLIMIT_RTPRIO.rawValue), &limit)
    return CInt(clamping: limit.rlim_cur)
  }

  private static let logger = Logger(label: "syrinx.threads")
}
