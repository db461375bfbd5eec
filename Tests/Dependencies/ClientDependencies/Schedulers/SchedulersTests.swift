import ClientDependencies
import Foundation
import Testing

@Suite struct SchedulersTests {
  @Test
  func `an immediate scheduler runs all work before schedule returns, and repeated work once`() {
    let scheduler = AnySchedulerOf<RunLoop>.immediate
    var ran = 0
    scheduler.schedule { ran += 1 }
    scheduler.schedule(after: scheduler.now.advanced(by: .seconds(60))) { ran += 1 }
    scheduler.schedule(after: scheduler.now, interval: .seconds(1)) { ran += 1 }.cancel()
    #expect(ran == 3)
    #expect(scheduler.now.date.timeIntervalSince1970 == 0)
  }

  @Test func `an unimplemented scheduler reports its name and how it was used, and runs the work`()
  {
    let scheduler = AnySchedulerOf<DispatchQueue>.unimplemented(
      "Metronome", now: DispatchQueue.test.now)
    var ran = 0
    expectIssue("work was scheduled on it.") { scheduler.schedule { ran += 1 } }
    expectIssue("its time was read") { _ = scheduler.now }
    let now = DispatchQueue.test.now
    expectIssue("work was scheduled on it.") { scheduler.schedule(after: now) { ran += 1 } }
    expectIssue("work was scheduled on it.") {
      scheduler.schedule(after: now, interval: .seconds(1)) { ran += 1 }.cancel()
    }
    #expect(ran == 3)
  }

  @Test func `a queue runs work now, later, and repeatedly until it is canceled`() async throws {
    let queue = DispatchQueue(label: "SchedulersTests").eraseToAnyScheduler()
    let start = queue.now
    try await queue.sleep(for: .milliseconds(1))
    #expect(start.duration(to: queue.now) >= .milliseconds(1))
    await withCheckedContinuation { continuation in
      queue.schedule(after: queue.now) { continuation.resume() }
    }
    await withCheckedContinuation { continuation in queue.schedule { continuation.resume() } }
    var ticks = 0
    for await _ in queue.timer(interval: .milliseconds(1)) {
      ticks += 1
      if ticks == 3 { break }
    }
  }

  @Test func `a run loop runs work now, later, and repeatedly until it is canceled`() {
    let loop = RunLoop.current
    var log: [String] = []
    loop.schedule { log.append("soon") }
    loop.schedule(after: loop.now.advanced(by: .milliseconds(2))) { log.append("later") }
    var repeating: AnyCancellable?
    var ticks = 0
    let start = loop.now.advanced(by: .milliseconds(4))
    repeating = loop.schedule(after: start, interval: .milliseconds(1)) {
      ticks += 1
      if ticks == 2 { repeating?.cancel() }
    }
    while ticks < 2, loop.run(mode: .default, before: .distantFuture) {}
    #expect(log == ["soon", "later"])
    #expect(ticks == 2)
  }

  @Test func `canceling and then releasing a cancellable cancels once`() {
    let count = Counter()
    var first: AnyCancellable? = AnyCancellable { count.increment() }
    #expect(count.count == 0)
    first?.cancel()
    #expect(count.count == 1)
    first = nil
    #expect(count.count == 1)
    first = AnyCancellable { count.increment() }
    first = nil
    #expect(count.count == 2)
  }

  private func expectIssue(_ text: String, _ operation: () -> Void) {
    withKnownIssue {
      operation()
    } matching: { issue in
      let said = issue.comments.first?.rawValue
      return said?.contains("'Metronome'") == true && said?.contains(text) == true
    }
  }
}
