import ClientDependencies
import Foundation
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(60))) struct TestClockTests {
  private let clock = TestClock()
  private let log = Log()

  @Test func `an advance wakes due sleepers in the order of their deadlines`() async throws {
    let tasks = [3, 1, 2].map { second in sleeper(second) }
    await clock.sleepers(atLeast: 3)
    await clock.advance(by: .seconds(2))
    #expect(log.entries == ["1", "2"])
    await clock.advance(to: .init(offset: .seconds(3)))
    #expect(log.entries == ["1", "2", "3"])
    for task in tasks { try await task.value }
  }

  @Test func `a task that sleeps again during an advance is woken again`() async throws {
    let ticking = Task {
      for tick in 1...5 {
        try await clock.sleep(for: .seconds(1))
        log.append("\(tick) at \(clock.now.offset)")
      }
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(10))
    #expect(log.entries == (1...5).map { "\($0) at \(Duration.seconds($0))" })
    #expect(clock.now.offset == .seconds(10))
    ticking.cancel()
    _ = await ticking.result
  }

  @Test func `a newly started task loses no tick, even in a busy process`() async {
    let isOver = Flag()
    defer { isOver.set() }
    for _ in 0..<3 { Thread { while !isOver.isSet {} }.start() }
    for round in 1...20 {
      let clock = TestClock()
      let (ticks, mainTicks) = (Counter(), Counter())
      let tasks = [
        Task { try await tick(5, on: clock) { ticks.increment() } },
        Task { @MainActor in try await tick(5, on: clock) { mainTicks.increment() } },
      ]
      await clock.advance(by: .seconds(5))
      #expect(ticks.count == 5 && mainTicks.count == 5, "in round \(round)")
      for task in tasks { task.cancel() }
    }
  }

  @Test func `nothing wakes before its deadline`() async {
    let task = sleeper(5)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(4_999))
    #expect(log.entries == [])
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a canceled sleep ends at once without an advance`() async {
    let task = sleeper(1)
    await clock.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    await #expect(throws: Never.self) { try await clock.checkSuspension() }
  }

  @Test func `a sleep in a canceled task throws`() async {
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `TestClock.run ends when no task sleeps`() async throws {
    let ticking = Task {
      for _ in 0..<3 { try await clock.sleep(for: .seconds(100)) }
    }
    await clock.sleepers(atLeast: 1)
    await clock.run(timeout: .seconds(60))
    try await ticking.value
    #expect(clock.now.offset == .seconds(300))
  }

  @Test(arguments: [Duration.seconds(1), .zero])
  func `TestClock.run reports an issue if a task keeps sleeping`(_ duration: Duration) async {
    let endless = Task {
      while !Task.isCancelled { try await clock.sleep(for: duration) }
    }
    await clock.sleepers(atLeast: 1)
    await withKnownIssue {
      await clock.run(timeout: .zero)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("a task sleeps until") == true
    }
    endless.cancel()
    _ = await endless.result
  }

  @Test func `checkSuspension throws while a task sleeps`() async {
    let task = sleeper(1)
    await clock.sleepers(atLeast: 1)
    await #expect(throws: SuspensionError()) { try await clock.checkSuspension() }
    task.cancel()
    _ = await task.result
  }

  @Test func `a sleep of zero suspends until the clock is advanced`() async throws {
    let task = Task {
      try await clock.sleep(until: clock.now)
      log.append("woken")
    }
    await clock.sleepers(atLeast: 1)
    #expect(log.entries == [])
    await clock.advance()
    #expect(log.entries == ["woken"])
    try await task.value
  }

  @Test func `a sleep until a past time does not suspend`() async throws {
    await clock.advance(by: .seconds(2))
    try await clock.sleep(until: .init(offset: .seconds(1)))
  }

  @Test func `sleepers(atLeast:) reports an issue that lists the sleepers if there are too few`()
    async
  {
    let task = Task(name: "beeper") { try await clock.sleep(for: .seconds(3)) }
    await clock.sleepers(atLeast: 1)
    await withKnownIssue {
      await clock.sleepers(atLeast: 2, timeout: .zero)
    } matching: { issue in
      issue.comments.first?.rawValue == """
        Fewer than 2 tasks sleep on the clock after 0.0 seconds. At 0.0 seconds, the task 'beeper' sleeps until 3.0 \
        seconds.
        """
    }
    task.cancel()
    _ = await task.result
    await withKnownIssue {
      await clock.sleepers(atLeast: 1, timeout: .zero)
    } matching: { issue in
      issue.comments.first?.rawValue.hasSuffix("At 0.0 seconds, no task sleeps.") == true
    }
  }

  @Test func `advance(until:) cancels the task if it neither ends nor sleeps on the clock`() async {
    let endless = Task { try await ContinuousClock().sleep(for: .seconds(3_600)) }
    await withKnownIssue {
      await clock.advance(until: endless, timeout: .zero)
    } matching: { issue in
      issue.comments.first?.rawValue == """
        The task has not finished and no sleep has ended for 0.0 seconds. At 0.0 seconds, no task sleeps.
        """
    }
    await #expect(throws: CancellationError.self) { try await endless.value }
  }

  @Test func `advance(until:) cancels the task if it still runs at the step limit`() async {
    let endless = Task(name: "ticker") {
      while true { try await clock.sleep(for: .seconds(1)) }
    }
    await withKnownIssue {
      await clock.advance(until: endless, stepLimit: 3)
    } matching: { issue in
      issue.comments.first?.rawValue.hasPrefix(
        "The task has not finished after 3 sleeps have ended.") == true
    }
    let end = await endless.result
    #expect(throws: CancellationError.self) { try end.get() }
  }

  @Test func `canceling a wait for sleepers ends the wait`() async {
    let waiting = Task { await clock.sleepers(atLeast: 1) }
    await Task.megaYield()
    waiting.cancel()
    await waiting.value
    let cancelled = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      await clock.sleepers(atLeast: 1)
    }
    await cancelled.value
  }

  private func sleeper(_ second: Int) -> Task<Void, any Error> {
    Task {
      try await clock.sleep(for: .seconds(second))
      log.append("\(second)")
    }
  }
}

/// Sleeps a second at a time, on the caller's actor.
private func tick(
  _ count: Int, on clock: TestClock<Duration>, isolation: isolated (any Actor)? = #isolation,
  _ note: @Sendable () -> Void
) async throws {
  for _ in 1...count {
    try await clock.sleep(for: .seconds(1))
    note()
  }
}

private final class Log: Sendable {
  private let lines = Mutex<[String]>([])
  var entries: [String] { lines.withLock { $0 } }
  func append(_ line: String) { lines.withLock { $0.append(line) } }
}
