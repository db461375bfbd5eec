import Testing

@testable import SpeechClientLive

@Suite struct WorkQueueTests {
  private var queue = WorkQueue<String>()

  @Test mutating func `the most demanding task decides the number of workers`() {
    let first = queue.join(workers: 2)
    let second = queue.join(workers: 3)
    let started = (0..<5).map { queue.add("\($0)", at: (task: first, index: $0)) }
    #expect(started == [true, true, true, false, false])
    queue.leave(second)
    #expect(queue.limit == 2)
  }

  @Test mutating func `the task that joined before all others comes first, until it leaves`() {
    #expect(queue.first == nil)
    let (first, second) = (queue.join(workers: 1), queue.join(workers: 4))
    #expect(queue.first == first)
    queue.leave(first)
    #expect(queue.first == second)
  }

  @Test mutating func `work is done in the order of the tasks`() {
    let (first, second) = (queue.join(workers: 1), queue.join(workers: 1))
    _ = queue.add("b1", at: (task: second, index: 1))
    _ = queue.add("a2", at: (task: first, index: 2))
    _ = queue.add("b0", at: (task: second, index: 0))
    _ = queue.add("a1", at: (task: first, index: 1))
    let done = (0..<4).compactMap { _ in queue.next() }
    #expect(done == ["a1", "a2", "b0", "b1"])
  }

  @Test mutating func `a worker ends when nothing is left, or when there are too many`() {
    let task = queue.join(workers: 2)
    for index in 0..<4 { _ = queue.add("\(index)", at: (task: task, index: index)) }
    queue.leave(task)
    let beyondLimit = queue.next()
    #expect(beyondLimit == nil)
    let done = (0..<4).compactMap { _ in queue.next() }
    #expect(done.count == 4)
    let atEnd = queue.next()
    #expect(atEnd == nil && queue.workerCount == 0)
  }

  @Test mutating func `work is left undone only where the last worker cannot start`() {
    let task = queue.join(workers: 2)
    _ = queue.add("0", at: (task: task, index: 0))
    _ = queue.add("1", at: (task: task, index: 1))
    let first = queue.workerFailed()
    let second = queue.workerFailed()
    #expect(first.isEmpty && second == ["0", "1"])
  }
}
