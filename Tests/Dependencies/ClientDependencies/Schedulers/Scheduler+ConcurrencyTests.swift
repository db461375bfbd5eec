import ClientDependencies
import Foundation
import Testing

@Suite struct SchedulerConcurrencyTests {
  private typealias Stride = DispatchQueue.SchedulerTimeType.Stride
  private let queue = DispatchQueue(label: "SchedulerConcurrencyTests")
  private let test = DispatchQueue.test

  @Test(arguments: [0, -1]) func `a sleep for zero returns at once`(seconds: Int) async throws {
    try await queue.sleep(for: .seconds(seconds))
    try await test.sleep(for: .seconds(seconds))
    try await RunLoop.test.sleep(for: .seconds(seconds))
    try await DispatchQueue.immediate.sleep(for: .seconds(seconds))
  }

  @Test(arguments: [0, -1]) func `a sleep until a past time returns at once`(
    seconds: Int
  ) async throws {
    try await queue.sleep(until: queue.now.advanced(by: .seconds(seconds)))
    await test.advance(by: .seconds(5))
    try await test.sleep(until: test.now.advanced(by: .seconds(seconds)))
  }

  @Test func `a scheduler's sleep schedules one work item`() async throws {
    let turns = Counter()
    let counting = AnySchedulerOf<DispatchQueue>(
      minimumTolerance: { .zero }, now: { [test] in test.now },
      scheduleImmediately: { _, _ in Issue.record("not soon") },
      delayed: { [test] date, _, _, action in
        turns.increment()
        test.schedule(after: date, action)
      },
      interval: { _, _, _, _, _ in
        Issue.record("not again and again")
        return AnyCancellable {}
      })
    let task = Task { try await counting.sleep(for: .nanoseconds(1)) }
    await test.advance(by: .seconds(3_600))
    try await task.value
    #expect(turns.count == 1)
  }

  @Test func `cancelling ends a sleep`() async {
    let task = Task { [test] in try await test.sleep(for: .seconds(1)) }
    await Task.megaYield()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [0, -1]) func `a timer without an interval is an issue, and empty`(
    seconds: Int
  ) async {
    for scheduler in [queue.eraseToAnyScheduler(), test.eraseToAnyScheduler(), .immediate] {
      let ticks = expectIssue { scheduler.timer(interval: .seconds(seconds)) }
      #expect(await ticks.first { _ in true } == nil)
    }
  }

  @Test(arguments: [0, -1]) func `repeating without an interval is an issue and schedules nothing`(
    seconds: Int
  ) {
    let ran = Counter()
    let interval = Stride.seconds(seconds)
    expectIssue {
      queue.schedule(after: queue.now, interval: interval) { ran.increment() }.cancel()
    }
    expectIssue { test.schedule(after: test.now, interval: interval) { ran.increment() }.cancel() }
    expectIssue {
      let loop = RunLoop.current
      loop.schedule(after: loop.now, interval: .seconds(seconds)) { ran.increment() }.cancel()
    }
    test.advance(by: 1)
    queue.sync {}
    #expect(ran.count == 0)
  }

  private func expectIssue<R>(_ operation: () -> R) -> R {
    var result: R?
    withKnownIssue {
      result = operation()
    } matching: { issue in
      issue.comments.first?.rawValue.contains("an interval must be longer than zero") == true
    }
    return result!
  }
}
