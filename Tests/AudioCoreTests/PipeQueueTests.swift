import Testing

@testable import AudioCore

@Suite struct PipeQueueTests {
  private struct Failure: Error {}
  private let keepAll = PipePolicy<Int> { $0.append($1) }

  private func text(_ action: PipeQueue<Int>.Action) -> String {
    switch action {
    case .wait: "wait"
    case .deliver(let element): "deliver \(element)"
    case .end(nil): "end"
    case .end: "fail"
    }
  }

  @Test func `an element goes to the consumer that waits, and else into the queue`() {
    var queue = PipeQueue(policy: keepAll)
    #expect(text(queue.demand()) == "wait")
    #expect(text(queue.send(1)) == "deliver 1")
    #expect(text(queue.send(2)) == "wait")
    #expect(text(queue.demand()) == "deliver 2")
  }

  @Test func `what is queued comes before the end, and the error comes once`() {
    var queue = PipeQueue(policy: keepAll)
    _ = queue.send(1)
    #expect(text(queue.finish(throwing: Failure())) == "wait")
    #expect(text(queue.send(2)) == "wait")
    #expect(text(queue.demand()) == "deliver 1")
    #expect(text(queue.demand()) == "fail")
    #expect(text(queue.demand()) == "end")
  }

  @Test func `a waiting consumer learns of the end at once`() {
    var queue = PipeQueue(policy: keepAll)
    _ = queue.demand()
    #expect(text(queue.finish(throwing: nil)) == "end")
    #expect(text(queue.finish(throwing: Failure())) == "wait")
    #expect(text(queue.demand()) == "end")
  }

  @Test func `an abandoned queue holds nothing and takes nothing`() {
    var queue = PipeQueue(policy: keepAll)
    _ = queue.send(1)
    #expect(text(queue.abandon()) == "wait")
    #expect(queue.isAbandoned)
    #expect(text(queue.send(2)) == "wait")
    #expect(text(queue.demand()) == "end")
  }

  @Test func `of figures only the newest waits, and other elements all do`() {
    var queue = PipeQueue(policy: PipePolicy.newest { $0 >= 10 })
    for element in [1, 10, 11, 12, 2, 13] { _ = queue.send(element) }
    let taken = (0..<4).map { _ in text(queue.demand()) }
    #expect(taken == ["deliver 1", "deliver 2", "deliver 13", "wait"])
  }
}
