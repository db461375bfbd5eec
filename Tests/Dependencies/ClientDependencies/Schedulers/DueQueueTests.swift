import Testing

@testable import ClientDependencies

@Suite struct DueQueueTests {
  @Test func `the queue returns work in the order of due times, then of arrival`() {
    var queue = DueQueue<Int, String>(now: 0)
    for (work, due) in [("c", 3), ("a", 1), ("b1", 2), ("b2", 2)] {
      queue.add(queue.nextID(), due: due, work)
    }
    #expect(queue.next == 1)
    var taken: [String] = []
    while let work = queue.popNext(until: 2) { taken.append("\(work) at \(queue.now)") }
    #expect(taken == ["a at 1", "b1 at 2", "b2 at 2"])
    #expect(queue.count == 1)
    #expect(queue.next == 3)
  }

  @Test func `the queue's time advances to the limit, and never goes back`() {
    var queue = DueQueue<Int, String>(now: 5)
    queue.add(queue.nextID(), due: 1, "late")
    #expect(queue.popNext(until: 5) == "late")
    #expect(queue.popNext(until: 9) == nil)
    #expect(queue.popNext(until: 3) == nil)
    #expect(queue.now == 9)
  }

  @Test func `removed work is returned once and never becomes due`() {
    var queue = DueQueue<Int, String>(now: 0)
    let id = queue.nextID()
    queue.add(id, due: 1, "a")
    #expect(queue.remove(id) == "a")
    #expect(queue.remove(id) == nil)
    #expect(queue.popNext(until: 2) == nil)
  }
}
