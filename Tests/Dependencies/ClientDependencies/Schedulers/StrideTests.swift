import ClientDependencies
import Foundation
import Testing

@Suite struct StrideTests {
  private typealias Queue = DispatchQueue.SchedulerTimeType.Stride
  private typealias Loop = RunLoop.SchedulerTimeType.Stride

  @Test func `a queue's distances are whole nanoseconds`() {
    #expect(Queue.seconds(2).magnitude == 2_000_000_000)
    #expect(
      [.seconds(0.5), .milliseconds(500), .microseconds(500_000), 0.5]
        == [Queue](repeating: .nanoseconds(500_000_000), count: 4))
    #expect(Queue(integerLiteral: 3) - 1 + 2 == 4)
    #expect(Queue.seconds(2) * 0.5 == 1)
    #expect(-Queue.seconds(1) < .zero)
  }

  @Test func `a too long distance is clamped`() {
    #expect(Queue.seconds(Int.max).magnitude == .max)
    #expect(Queue.seconds(Int.min).magnitude == .min)
    #expect(Queue.seconds(1e300).magnitude == .max)
    #expect(Queue.seconds(-Double.infinity).magnitude == .min)
    #expect(Queue.seconds(Double.nan).magnitude == 0)
  }

  @Test func `a queue's times are clamped to the valid range`() {
    let time = DispatchQueue.SchedulerTimeType(DispatchTime(uptimeNanoseconds: 10))
    #expect(time.advanced(by: .seconds(-1)).dispatchTime.uptimeNanoseconds == 1)
    #expect(time.advanced(by: .seconds(Int.max)).dispatchTime.uptimeNanoseconds == UInt64(Int.max))
    let later = time.advanced(by: .nanoseconds(5))
    #expect(time.distance(to: later).magnitude == 5)
    #expect(later.distance(to: time).magnitude == -5)
    #expect(time < later)
  }

  @Test func `a run loop's distances are seconds`() {
    #expect(
      [.seconds(2), .seconds(2.0), .milliseconds(2_000), .microseconds(2_000_000)]
        == [Loop](repeating: 2, count: 4))
    #expect(Loop.nanoseconds(500_000_000) == 0.5)
    #expect(Loop(3) - 1 + 2 == 4)
    let time = RunLoop.SchedulerTimeType(Date(timeIntervalSince1970: 10))
    #expect(time.distance(to: time.advanced(by: -4)) == -4)
  }
}
