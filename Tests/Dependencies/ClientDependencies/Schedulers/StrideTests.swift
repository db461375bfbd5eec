import ClientDependencies
import Foundation
import Testing

@Suite struct SchedulerTimesTests {
  @Test func `a queue's times are clamped to the valid range`() {
    let time = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 10))
    #expect(time.advanced(by: .seconds(-1)).dispatchTime.uptimeNanoseconds == 1)
    #expect(time.advanced(by: .seconds(Int64.max)).dispatchTime == .distantFuture)
    let later = time.advanced(by: .nanoseconds(5))
    #expect(time.duration(to: later) == .nanoseconds(5))
    #expect(later.duration(to: time) == .nanoseconds(-5))
    #expect(time < later)
  }

  @Test func `the time of a run loop's scheduler is a date`() {
    let time = RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: 10))
    #expect(time.advanced(by: .seconds(-4)).date.timeIntervalSince1970 == 6)
    #expect(time.duration(to: time.advanced(by: .seconds(-4))) == .seconds(-4))
    #expect(time.advanced(by: .seconds(-4)) < time)
  }
}
