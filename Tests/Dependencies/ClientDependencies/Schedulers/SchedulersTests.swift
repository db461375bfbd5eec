import ClientDependencies
import Foundation
import Testing

@Suite struct SchedulersTests {
  @Test func `an immediate scheduler runs all work before it returns, repeated work once`() {
    let scheduler = AnySchedulerOf<RunLoop>.immediate
    var ran = 0
    scheduler.schedule { ran += 1 }
    scheduler.schedule(after: scheduler.now.advanced(by: 60)) { ran += 1 }
    scheduler.schedule(after: scheduler.now, interval: 1) { ran += 1 }.cancel()
    #expect(ran == 3)
    #expect(scheduler.now.date.timeIntervalSince1970 == 0)
  }

  @Test func `an unimplemented scheduler names itself and the use, and runs the work`() {
    let scheduler = AnySchedulerOf<DispatchQueue>.unimplemented("Metronome")
    var ran = 0
    expectIssue("work was scheduled on it.") { scheduler.schedule { ran += 1 } }
    expectIssue("its time was read") { _ = scheduler.now }
    expectIssue("its tolerance was read") { _ = scheduler.minimumTolerance }
    let now = DispatchQueue.test.now
    expectIssue("for later") { scheduler.schedule(after: now, tolerance: 0) { ran += 1 } }
    expectIssue("again and again") {
      scheduler.schedule(after: now, interval: 1, tolerance: 0) { ran += 1 }.cancel()
    }
    #expect(ran == 3)
  }

  @Test func `an unimplemented scheduler is named by its times and options`() {
    let scheduler = UnimplementedScheduler<
      DispatchQueue.SchedulerTimeType, DispatchQueue.SchedulerOptions
    >("Metronome", now: DispatchQueue.test.now)
    let same: UnimplementedSchedulerOf<DispatchQueue> = scheduler
    expectIssue("its time was read") { _ = same.now }
  }

  @Test func `a queue runs work now, later, and repeatedly until it is cancelled`() async throws {
    let queue = DispatchQueue(label: "SchedulersTests").eraseToAnyScheduler()
    let start = queue.now
    try await queue.sleep(for: .milliseconds(1))
    #expect(start.distance(to: queue.now) >= .milliseconds(1))
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

  @Test func `a run loop runs work now, later, and repeatedly until it is cancelled`() {
    let loop = RunLoop.current
    var log: [String] = []
    loop.schedule { log.append("soon") }
    loop.schedule(after: loop.now.advanced(by: .milliseconds(2))) { log.append("later") }
    var repeating: (any Cancellable)?
    var ticks = 0
    repeating = loop.schedule(after: loop.now.advanced(by: .milliseconds(4)), interval: 0.001) {
      ticks += 1
      if ticks == 2 { repeating?.cancel() }
    }
    while ticks < 2, loop.run(mode: .default, before: .distantFuture) {}
    #expect(log == ["soon", "later"])
    #expect(ticks == 2)
  }

  @Test func `cancelling and releasing cancel once`() {
    let count = Counter()
    var set: Set<AnyCancellable> = []
    let first = AnyCancellable { count.increment() }
    AnyCancellable(first).store(in: &set)
    #expect(count.count == 0)
    set = []
    #expect(count.count == 1)
    first.cancel()
    #expect(count.count == 1)
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
