import CLinux
import Glibc
import Logging

/// The priority that lets an audio thread run in time on a machine that is busy.
///
/// The kernel gives it where `RLIMIT_RTPRIO` allows; elsewhere RTKit is asked. What was obtained
/// goes to the log, label `syrinx.threads`, level debug.
package enum RealTimePriority {
  /// Above everything ordinary, and below what the kernel and sound servers run at.
  static let level: CInt = 10

  /// Asks for it for the calling thread, and returns at once: what takes longer is asked for on
  /// another thread.
  ///
  /// For a thread that sleeps in each period: one that spins at this priority holds up the machine.
  ///
  /// - Parameter name: what the thread serves, for the log.
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

  /// The real-time priority of the calling thread, 0 where it has none.
  static var current: CInt {
    var parameters = sched_param()
    sched_getparam(0, &parameters)
    return parameters.sched_priority
  }

  /// The corresponding C function is `sched_setscheduler`, which on Linux is about one thread.
  private static func setRoundRobin() -> CInt {
    var parameters = sched_param()
    parameters.sched_priority = limit == 0 ? level : min(level, limit)
    return sched_setscheduler(0, SCHED_RR | CInt(SYRINX_SCHED_RESET_ON_FORK), &parameters)
  }

  /// The highest priority that a thread without privileges gets; privileges need no limit.
  private static var limit: CInt {
    var limit = rlimit()
    getrlimit(CInt(__RLIMIT_RTPRIO.rawValue), &limit)
    return CInt(clamping: limit.rlim_cur)
  }

  private static let logger = Logger(label: "syrinx.threads")
}
