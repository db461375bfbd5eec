import Glibc
import Testing

@testable import AudioThreads

@Suite struct RealTimePriorityTests {
  /// `SCHED_RR` with `SCHED_RESET_ON_FORK`.
  private static let roundRobin = SCHED_RR | 0x4000_0000

  @Test
  func `a thread gets real-time priority if the system permits it, but its children do not`()
    async
  {
    let isAllowed = await onThread {
      var parameters = sched_param()
      parameters.sched_priority = DedicatedThread.realTimePriority
      return sched_setscheduler(0, SCHED_RR, &parameters) == 0 ? 1 : 0
    }
    let policy = await onThread {
      DedicatedThread.requestRealTimePriority(for: "a test")
      return sched_getscheduler(0)
    }
    let priority = await onThread {
      DedicatedThread.requestRealTimePriority(for: "a test")
      return DedicatedThread.currentPriority
    }
    #expect(policy == (isAllowed == 1 ? Self.roundRobin : SCHED_OTHER))
    #expect(priority == (isAllowed == 1 ? 10 : 0))
  }

  private func onThread(_ body: @escaping @Sendable () -> CInt) async -> CInt {
    await DedicatedThread.run(name: "test", abandoned: -1, failed: { _ in -1 }, body)
  }
}
