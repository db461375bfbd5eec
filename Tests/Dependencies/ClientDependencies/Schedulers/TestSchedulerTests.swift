import ClientDependencies
import Foundation
import Testing

@Suite struct TestSchedulerTests {
  private let queue = DispatchQueue.test

  @Test func `scheduled work runs at its time, and the scheduler reports that time as now`() {
    var log: [String] = []
    let start = queue.now
    for second in [3, 1, 2] {
      queue.schedule(after: start.advanced(by: .seconds(second))) { [queue] in
        log.append("\(second) at \(start.duration(to: queue.now))")
      }
    }
    queue.advance()
    #expect(log == [])
    queue.advance(by: .milliseconds(2_500))
    #expect(log == ["1 at 1.0 seconds", "2 at 2.0 seconds"])
    #expect(start.duration(to: queue.now) == .milliseconds(2_500))
    queue.run()
    #expect(log.count == 3)
  }

  @Test func `work scheduled for now runs at the next advance, even by zero`() {
    var ran = 0
    queue.schedule { ran += 1 }
    #expect(ran == 0)
    queue.advance()
    #expect(ran == 1)
  }

  @Test func `work that is scheduled within an advance runs`() {
    var log: [String] = []
    queue.schedule { [queue] in
      log.append("outer")
      queue.schedule(after: queue.now.advanced(by: .seconds(1))) { log.append("inner") }
    }
    queue.advance(by: .seconds(1))
    #expect(log == ["outer", "inner"])
  }

  @Test func `repeated work runs once per interval until it is canceled`() {
    var ticks = 0
    let repeating = queue.schedule(after: queue.now, interval: .seconds(2)) { ticks += 1 }
    queue.advance(by: .seconds(5))
    #expect(ticks == 3)
    repeating.cancel()
    queue.advance(by: .seconds(100))
    #expect(ticks == 3)
  }

  @Test func `repeated work can cancel itself`() {
    var ticks = 0
    var repeating: AnyCancellable?
    repeating = queue.schedule(after: queue.now, interval: .seconds(1)) {
      ticks += 1
      if ticks == 2 { repeating?.cancel() }
    }
    queue.run()
    #expect(ticks == 2)
  }

  @Test func `a sleep on the scheduler ends at its deadline`() async throws {
    let isAwake = LockIsolated(false)
    let task = Task { [queue] in
      try await queue.sleep(for: .seconds(1))
      try await queue.sleep(for: .seconds(1))
      isAwake.setValue(true)
    }
    await queue.advance(by: .milliseconds(1_999))
    #expect(!isAwake.value)
    await queue.run()
    try await task.value
    #expect(isAwake.value)
  }

  @Test func `a canceled sleep throws at once`() async {
    let task = Task { [queue] in
      withUnsafeCurrentTask { $0?.cancel() }
      try await queue.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `a timer whose reader has ended leaves no scheduled work`() async {
    let reader = Task { [queue] in
      for await _ in queue.timer(interval: .seconds(1)) { break }
    }
    await queue.advance(by: .seconds(1))
    await reader.value
    await queue.run()
  }

  @Test func `TestScheduler.run reports an issue if work repeats forever`() async {
    let repeating = queue.schedule(after: queue.now, interval: .seconds(1)) {}
    await withKnownIssue {
      await queue.run(timeout: .zero)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Work still waits") == true
    }
    repeating.cancel()
  }
}
