import CLinux
import FilePaths
import Glibc
import Logging

/// Real-time priority for audio threads, so that they meet their deadlines on a busy machine.
///
/// The kernel grants it if `RLIMIT_RTPRIO` permits. Otherwise, the desktop service RTKit may grant
/// it. The result is logged with the label `syrinx.threads` at level debug.
extension DedicatedThread {
  /// The requested priority: above normal threads, below the kernel's and the sound servers'.
  static var realTimePriority: CInt { 10 }

  /// Requests real-time priority for the calling thread without blocking it.
  ///
  /// The request to RTKit is sent on another thread. Call this method only on a thread that sleeps
  /// in each period, because a spinning real-time thread blocks the machine.
  ///
  /// - Parameter name: the thread's purpose, for the log.
  package static func requestRealTimePriority(for name: String) {
    let thread = syrinx_thread_id()
    guard setRoundRobin() < 0 else {
      return threadLog.debug("\(name) has real-time priority \(currentPriority), by RLIMIT_RTPRIO")
    }
    let reason = String(cString: strerror(errno))
    _ = try? start(name: "syrinx-rtkit") {
      do {
        let priority = try RTKit().grant(thread, atMost: realTimePriority)
        threadLog.debug("\(name) has real-time priority \(priority), by RTKit")
      } catch {
        threadLog.debug(
          """
          \(name) has normal priority: RLIMIT_RTPRIO is \(highestPriority) (\(reason)); \
          RTKit: \(error)
          """)
      }
    }
  }

  /// The real-time priority of the calling thread, or 0.
  static var currentPriority: CInt {
    var parameters = sched_param()
    sched_getparam(0, &parameters)
    return parameters.sched_priority
  }

  /// Calls `sched_setscheduler`, which on Linux affects only the calling thread.
  private static func setRoundRobin() -> CInt {
    var parameters = sched_param()
    let highest = highestPriority
    parameters.sched_priority = highest == 0 ? realTimePriority : min(realTimePriority, highest)
    return sched_setscheduler(0, SCHED_RR | CInt(SYRINX_SCHED_RESET_ON_FORK), &parameters)
  }

  /// The soft limit `RLIMIT_RTPRIO`, which is 0 for most users; privileged threads may exceed it.
  private static var highestPriority: CInt {
    var limit = rlimit()
    getrlimit(CInt(__RLIMIT_RTPRIO.rawValue), &limit)
    return CInt(clamping: limit.rlim_cur)
  }
}

/// The log of this module.
let threadLog = Logger(label: "syrinx.threads")

/// RTKit, a desktop service that grants real-time priority over the system D-Bus.
///
/// It uses D-Bus through libsystemd's sd-bus, which every machine with RTKit has.
struct RTKit: ~Copyable {
  private typealias Open = @convention(c) (UnsafeMutablePointer<OpaquePointer?>) -> CInt
  private typealias Close = @convention(c) (OpaquePointer) -> OpaquePointer?
  private typealias SetTimeout = @convention(c) (OpaquePointer, UInt64) -> CInt
  private typealias Read =
    @convention(c) (
      OpaquePointer, UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>,
      UnsafePointer<CChar>, UnsafeMutableRawPointer?, CChar, UnsafeMutableRawPointer
    ) -> CInt

  private static let service = "org.freedesktop.RealtimeKit1"
  private static let path = "/org/freedesktop/RealtimeKit1"
  /// The timeout of a D-Bus call, in microseconds.
  private static let timeout: UInt64 = 2_000_000

  private let library: LoadedLibrary
  private let bus: OpaquePointer
  private let close: Close

  /// Connects to the system bus; the corresponding C function is `sd_bus_open_system`.
  init(library path: FilePath = "libsystemd.so.0") throws {
    let library = try LoadedLibrary(path)
    let open: Open = try library.required("sd_bus_open_system")
    let close: Close = try library.required("sd_bus_flush_close_unref")
    let setTimeout: SetTimeout = try library.required("sd_bus_set_method_call_timeout")
    var bus: OpaquePointer?
    let code = open(&bus)
    guard code >= 0, let bus else {
      throw SystemError(failure: "no system bus", code: code < 0 ? -code : ENOTCONN)
    }
    _ = setTimeout(bus, Self.timeout)
    (self.library, self.bus, self.close) = (library, bus, close)
  }

  deinit { _ = close(bus) }

  /// Requests a priority of at most `level` for a thread of this process; returns the granted
  /// priority.
  ///
  /// RTKit requires a limit on the time that a real-time thread runs without sleeping, so this
  /// method first lowers `RLIMIT_RTTIME` to the longest time that RTKit accepts.
  func grant(_ thread: CInt, atMost level: CInt) throws -> CInt {
    let longest = try property("RTTimeUSecMax", "x", Int64(0))
    let highest = try property("MaxRealtimePriority", "i", Int32(0))
    limitTime(to: rlim_t(clamping: longest))
    let priority = min(level, highest)
    let call: UnsafeMutableRawPointer = try library.required("sd_bus_call_method")
    let code = syrinx_rtkit_call(
      call, UnsafeMutableRawPointer(bus), Self.service, Self.path, "MakeThreadRealtime",
      UInt64(thread), UInt32(clamping: priority))
    try Self.check(code, "it does not grant priority \(priority)")
    return priority
  }

  private func property<Value: BitwiseCopyable>(
    _ name: String, _ type: Unicode.Scalar, _ empty: Value
  ) throws -> Value {
    let read: Read = try library.required("sd_bus_get_property_trivial")
    var value = empty
    let code = read(
      bus, Self.service, Self.path, Self.service, name, nil, CChar(type.value), &value)
    try Self.check(code, "it does not answer")
    return value
  }

  private func limitTime(to microseconds: rlim_t) {
    var limit = rlimit()
    getrlimit(CInt(__RLIMIT_RTTIME.rawValue), &limit)
    limit.rlim_max = min(limit.rlim_max, microseconds)
    limit.rlim_cur = min(limit.rlim_cur, limit.rlim_max)
    setrlimit(CInt(__RLIMIT_RTTIME.rawValue), &limit)
  }

  private static func check(_ code: CInt, _ failure: String) throws(SystemError) {
    if code < 0 { throw SystemError(failure: failure, code: -code) }
  }
}
