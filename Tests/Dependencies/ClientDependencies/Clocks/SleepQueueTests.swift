import Testing

@testable import ClientDependencies

@Suite struct SleepQueueTests {
  private typealias Queue = SleepQueue<Duration, String>

  @Test func `sleepers wake in the order of their deadlines, and then of their arrival`() {
    var queue = Queue(now: at(0))
    for (waiter, second) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)] {
      #expect(queue.sleep(queue.nextID(), until: at(second), waiter) == .sleeps)
    }
    #expect(queue.wakeNext(until: at(2)) == "a")
    #expect(queue.now == at(1))
    #expect(queue.wakeNext(until: at(2)) == "b1")
    #expect(queue.wakeNext(until: at(2)) == "b2")
    #expect(queue.wakeNext(until: at(2)) == nil)
    #expect(queue.now == at(2))
    #expect(queue.count == 1)
    #expect(queue.nextDeadline == at(3))
  }

  @Test func `a sleep until a past deadline is due at once`() {
    var queue = Queue(now: at(5))
    #expect(queue.sleep(queue.nextID(), until: at(4), "a") == .isDue)
    #expect(queue.count == 0)
    #expect(queue.arrivals == 0)
  }

  @Test func `a sleep of zero wakes at the next advance of any length`() {
    var queue = Queue(now: at(5))
    #expect(queue.sleep(queue.nextID(), until: at(5), "a") == .sleeps)
    #expect(queue.wakeNext(until: at(5)) == "a")
    #expect(queue.now == at(5))
  }

  @Test func `sleepers are described by their tasks and deadlines`() {
    var queue = Queue(now: at(0))
    _ = queue.sleep(queue.nextID(), until: at(2), "a")
    _ = queue.sleep(queue.nextID(), until: at(1), task: "beeper", "b")
    #expect(
      queue.descriptions == [
        "the task 'beeper' sleeps until 1.0 seconds", "a task sleeps until 2.0 seconds",
      ])
  }

  @Test func `the time of the queue never goes back`() {
    var queue = Queue(now: at(5))
    #expect(queue.wakeNext(until: at(1)) == nil)
    #expect(queue.now == at(5))
  }

  @Test func `canceling a sleeper removes it, so that it is not woken later`() {
    var queue = Queue(now: at(0))
    let id = queue.nextID()
    #expect(queue.sleep(id, until: at(1), "a") == .sleeps)
    #expect(queue.cancel(id) == "a")
    #expect(queue.wakeNext(until: at(2)) == nil)
  }

  @Test func `a sleep that is canceled before it begins does not begin`() {
    var queue = Queue(now: at(0))
    let id = queue.nextID()
    #expect(queue.cancel(id) == nil)
    #expect(queue.sleep(id, until: at(1), "a") == .isCancelled)
    #expect(queue.sleep(queue.nextID(), until: at(1), "b") == .sleeps)
  }

  @Test func `a woken sleeper is pending until its task runs`() {
    var queue = Queue(now: at(0))
    let id = queue.nextID()
    #expect(queue.sleep(id, until: at(1), "a") == .sleeps)
    #expect(!queue.isWaking)
    #expect(queue.wakeNext(until: at(1)) == "a")
    #expect(queue.isWaking)
    queue.end(id)
    #expect(!queue.isWaking)
  }

  private func at(_ second: Int) -> ClockInstant<Duration> {
    ClockInstant(offset: .seconds(second))
  }
}
