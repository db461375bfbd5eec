import Testing

@testable import AudioCore

private struct Failure: Error {}

@Suite struct BroadcastQueueTests {
  private func frames(_ number: Int) -> AudioBuffer { counting(number * 2..<number * 2 + 2) }

  /// Returns the first frame of the next buffer, and the number of lost frames before it.
  private func next(of queue: inout BroadcastQueue<Failure>, for id: Int) -> String {
    switch queue.next(for: id) {
    case .wait: "wait"
    case .element(let audio):
      "\(audio.buffer.firstFrame.rawValue)" + (audio.lost > 0 ? "-\(audio.lost.rawValue)" : "")
    case .end(nil): "end"
    case .end(_?): "failure"
    }
  }

  @Test func `the source starts with the first request, not when a consumer joins`() {
    var queue = BroadcastQueue<Failure>()
    let (one, two) = (queue.join(.waiting), queue.join(.waiting))
    #expect(!queue.hasRoom)
    #expect(next(of: &queue, for: one) == "wait")
    #expect(queue.hasRoom)
    queue.send(frames(0))
    #expect(next(of: &queue, for: one) == "0" && next(of: &queue, for: two) == "0")
  }

  @Test func `a request by a consumer that left does not start the source`() {
    var queue = BroadcastQueue<Failure>()
    let (gone, _) = (queue.join(.waiting), queue.join(.waiting))
    queue.abandon(by: gone)
    #expect(next(of: &queue, for: gone) == "end" && !queue.hasRoom)
  }

  @Test func `with the waiting policy, the source waits for the slowest consumer`() {
    var queue = BroadcastQueue<Failure>()
    let (fast, slow) = (queue.join(.waiting), queue.join(.waiting))
    _ = queue.next(for: fast)
    queue.send(frames(0))
    #expect(next(of: &queue, for: fast) == "0" && !queue.hasRoom)
    #expect(next(of: &queue, for: slow) == "0" && queue.hasRoom)
  }

  @Test func `a slow consumer that drops audio loses the oldest frames and gets their count`() {
    var queue = BroadcastQueue<Failure>()
    let (fast, slow) = (queue.join(.waiting), queue.join(.droppingOldest(4)))
    for number in 0..<5 {
      queue.send(frames(number))
      #expect(next(of: &queue, for: fast) == "\(number * 2)" && queue.hasRoom)
    }
    #expect(next(of: &queue, for: slow) == "6-6")
    #expect(next(of: &queue, for: slow) == "8")
  }

  @Test func `the newest buffer is kept even with a limit of zero`() {
    var buffers = ConsumerBuffers(policy: .droppingOldest(0))
    for number in 0..<3 { buffers.append(frames(number)) }
    #expect(buffers.next() == BroadcastAudio(frames(2), lost: 4))
    #expect(buffers.next() == nil)
  }

  @Test func `a consumer that joins late gets only later buffers`() {
    var queue = BroadcastQueue<Failure>()
    _ = queue.join(.droppingOldest(9))
    queue.send(frames(0))
    let late = queue.join(.waiting)
    queue.send(frames(1))
    #expect(next(of: &queue, for: late) == "2")
  }

  @Test func `an error reaches each consumer once, after the consumer's buffers`() {
    var queue = BroadcastQueue<Failure>()
    let (one, two) = (queue.join(.waiting), queue.join(.waiting))
    queue.send(frames(0))
    _ = queue.next(for: one)
    queue.finish(Failure())
    #expect(next(of: &queue, for: one) == "failure" && next(of: &queue, for: one) == "end")
    #expect(next(of: &queue, for: two) == "0" && next(of: &queue, for: two) == "failure")
    let late = queue.join(.waiting)
    #expect(next(of: &queue, for: late) == "failure" && next(of: &queue, for: late) == "end")
  }

  @Test func `a consumer that leaves does not delay the source`() {
    var queue = BroadcastQueue<Failure>()
    let (one, two) = (queue.join(.waiting), queue.join(.waiting))
    queue.send(frames(0))
    _ = queue.next(for: one)
    #expect(!queue.hasRoom)
    queue.abandon(by: two)
    #expect(queue.hasRoom)
    queue.abandon(by: one)
    #expect(next(of: &queue, for: one) == "end")
  }

  @Test func `the source waits while there are no consumers`() {
    var queue = BroadcastQueue<Failure>()
    let one = queue.join(.waiting)
    _ = queue.next(for: one)
    queue.abandon(by: one)
    #expect(!queue.hasRoom && !queue.isAbandoned)
    _ = queue.join(.droppingOldest(9))
    #expect(queue.hasRoom)
  }

  @Test func `a closed broadcast becomes abandoned when its last consumer leaves`() {
    var queue = BroadcastQueue<Failure>()
    let one = queue.join(.waiting)
    queue.close()
    #expect(!queue.isAbandoned)
    queue.abandon(by: one)
    #expect(queue.isAbandoned && queue.hasRoom)
  }

  @Test
  func `with fifty thousand buffers, the queue never holds more than the slow consumer's limit`() {
    var queue = BroadcastQueue<Failure>()
    _ = queue.join(.droppingOldest(100))
    let fast = queue.join(.waiting)
    for number in 0..<50_000 {
      queue.send(frames(number))
      _ = queue.next(for: fast)
      #expect(queue.heldFrames <= 100)
    }
  }
}
