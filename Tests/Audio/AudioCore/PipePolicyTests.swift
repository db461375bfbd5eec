import Testing

@testable import AudioCore

@Suite struct PipePolicyTests {
  private struct Failure: Error {}

  private func queue(_ policy: PipePolicy<Int> = .keepingAll()) -> PolicyQueue<Int> {
    PolicyQueue(policy: policy)
  }

  private func text(_ step: PipeStep<Int, any Error>) -> String {
    switch step {
    case .wait: "wait"
    case .element(let element): "\(element)"
    case .end(nil): "end"
    case .end: "fail"
    }
  }

  @Test func `elements are returned in order, followed once by the error`() {
    var queue = queue()
    queue.send(1)
    queue.finish(throwing: Failure())
    queue.send(2)
    queue.finish(throwing: nil)
    #expect((0..<3).map { _ in text(queue.next()) } == ["1", "fail", "end"])
  }

  @Test func `the reader of an empty queue waits, and gets the end when the queue is finished`() {
    var queue = queue()
    #expect(text(queue.next()) == "wait")
    queue.finish(throwing: nil)
    #expect(text(queue.next()) == "end")
  }

  @Test func `a paced queue has no room while its reader processes an element`() {
    var queue = PolicyQueue<Int>(policy: .keepingAll(), isPaced: true)
    for number in 1...3 { queue.send(number) }
    #expect(queue.hasRoom)
    #expect(text(queue.next()) == "1" && !queue.hasRoom)
    #expect(text(queue.next()) == "2" && text(queue.next()) == "3" && !queue.hasRoom)
    #expect(text(queue.next()) == "wait" && queue.hasRoom)
    queue.send(4)
    #expect(text(queue.next()) == "4" && !queue.hasRoom)
    queue.liftLimit()
    #expect(queue.hasRoom)
  }

  @Test func `an abandoned queue is empty and accepts no elements`() {
    var queue = queue()
    queue.send(1)
    queue.abandon()
    queue.send(2)
    #expect(queue.isAbandoned && text(queue.next()) == "end")
  }

  @Test func `a queue has room if it is below its limit or closed`() {
    var queue = queue(.keepingAll(limit: 2))
    queue.send(1)
    #expect(queue.hasRoom)
    queue.send(2)
    #expect(!queue.hasRoom)
    var (read, closed) = (queue, queue)
    _ = read.next()
    closed.finish(throwing: nil)
    #expect(read.hasRoom && closed.hasRoom)
  }

  @Test func `a new replaceable element replaces the earlier one; other elements are kept`() {
    var queue = queue(PipePolicy { $0.append($1, inPlaceOf: { $0 >= 10 }) })
    for element in [1, 10, 11, 12, 2, 13] { queue.send(element) }
    #expect((0..<4).map { _ in text(queue.next()) } == ["1", "2", "13", "wait"])
  }

  @Test(arguments: [
    ([5, 5, 5], 15, []), ([5, 5, 5], 14, [5]), ([1, 9, 1], 1, [1, 9]), ([7], 0, []), ([], 0, []),
    (Array(repeating: 1, count: 17), 16, [1, 1]),
  ])
  func `a queue beyond its limit drops at least an eighth of its elements, never the newest one`(
    lengths: [Int], limit: Int, dropped: [Int]
  ) {
    var waiting = lengths
    #expect(waiting.removeOldest(beyond: limit, by: \.self) == dropped)
    #expect(dropped + waiting == lengths)
  }
}
