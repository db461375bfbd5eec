import ClientDependencies
import Foundation
import Testing

@Suite struct SchedulerConcurrencyTests {
  private let queue = DispatchQueue(label: "SchedulerConcurrencyTests")
  private let test = DispatchQueue.test

  @Test func `a sleep for a negative time returns at once`() async throws {
    try await queue.sleep(for: .seconds(-1))
    try await test.sleep(for: .seconds(-1))
    try await RunLoop.test.sleep(for: .seconds(-1))
    try await AnySchedulerOf<DispatchQueue>.immediate.sleep(for: .seconds(-1))
  }

  @Test func `a sleep for zero ends when the scheduler next runs its work`() async throws {
    try await queue.sleep(for: .zero)
    try await AnySchedulerOf<DispatchQueue>.immediate.sleep(for: .zero)
    let ended = Counter()
    let task = Task { [test] in
      try await test.sleep(for: .zero)
      ended.increment()
    }
    await Task.megaYield()
    #expect(ended.count == 0)
    await test.advance()
    try await task.value
  }

  @Test func `a sleep on a scheduler schedules one work item`() async throws {
    let turns = Counter()
    let task = Task { [test] in
      try await CountingScheduler(base: test, turns: turns).sleep(for: .nanoseconds(1))
    }
    await test.advance(by: .seconds(3_600))
    try await task.value
    #expect(turns.count == 1)
  }

  @Test func `canceling ends a sleep`() async {
    let task = Task { [test] in try await test.sleep(for: .seconds(1)) }
    await Task.megaYield()
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test(arguments: [0, -1])
  func `a timer whose interval is not positive reports an issue and yields nothing`(
    seconds: Int
  ) async {
    for scheduler in [queue.eraseToAnyScheduler(), test.eraseToAnyScheduler(), .immediate] {
      let ticks = expectIssue { scheduler.timer(interval: .seconds(seconds)) }
      #expect(await ticks.first { _ in true } == nil)
    }
  }

  @Test(arguments: [0, -1])
  func `repeated work whose interval is not positive reports an issue and is not scheduled`(
    seconds: Int
  ) {
    let ran = Counter()
    let interval = Duration.seconds(seconds)
    expectIssue {
      queue.schedule(after: queue.now, interval: interval) { ran.increment() }.cancel()
    }
    expectIssue { test.schedule(after: test.now, interval: interval) { ran.increment() }.cancel() }
    expectIssue {
      let loop = RunLoop.current
      loop.schedule(after: loop.now, interval: .seconds(seconds)) { ran.increment() }.cancel()
    }
    test.advance(by: .seconds(1))
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

/// Passes work to another scheduler, and counts the delayed work.
private struct CountingScheduler: Scheduler, Sendable {
  let base: TestScheduler<DispatchQueue.SchedulerTimeType>
  let turns: Counter

  var now: DispatchQueue.SchedulerTimeType { base.now }

  func schedule(after date: DispatchQueue.SchedulerTimeType, _ action: @escaping () -> Void) {
    turns.increment()
    base.schedule(after: date, action)
  }

  func schedule(
    after date: DispatchQueue.SchedulerTimeType, interval: Duration,
    _ action: @escaping () -> Void
  ) -> AnyCancellable {
    turns.increment()
    return base.schedule(after: date, interval: interval, action)
  }
}
