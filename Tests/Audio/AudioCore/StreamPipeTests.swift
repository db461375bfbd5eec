import Synchronization
import Testing

@testable import AudioCore

@Suite struct StreamPipeTests {
  private let keepAll = PipePolicy<Int>.keepingAll()

  @Test func `a stream yields the sent elements and ends with the error`() async {
    struct Failure: Error {}
    let pipe = PolicyPipe(policy: keepAll)
    pipe.send(1)
    pipe.send(2)
    pipe.finish(throwing: Failure())
    var seen: [Int] = []
    await #expect(throws: Failure.self) {
      for try await element in pipe.stream() { seen.append(element) }
    }
    #expect(seen == [1, 2])
  }

  @Test func `canceling a waiting consumer ends its stream and notifies the sender once`()
    async throws
  {
    let pipe = PolicyPipe(policy: keepAll)
    let terminations = Mutex(0)
    await confirmation { told in
      pipe.onTermination {
        terminations.withLock { $0 += 1 }
        told()
      }
      let consumer = Task { [stream = pipe.stream()] in
        for try await _ in stream {}
      }
      consumer.cancel()
      _ = await consumer.result
    }
    pipe.send(1)
    #expect(terminations.withLock { $0 } == 1)
  }

  @Test func `with awaitingEnd, a canceled reader gets the next element and then nil`()
    async throws
  {
    let pipe = PolicyPipe(policy: keepAll)
    let stopped = AsyncStream<Void>.makeStream()
    pipe.onTermination(awaitingEnd: true) { stopped.continuation.finish() }
    let reader = Task {
      var seen = [try await pipe.next()]
      seen.append(try await pipe.next())
      return seen
    }
    while !pipe.isAwaited { await Task.yield() }
    reader.cancel()
    for await _ in stopped.stream {}
    // The reader still waits, although it is canceled.
    pipe.send(1)
    pipe.send(2)
    #expect(pipe.isAwaited)
    pipe.finish()
    #expect(try await reader.value == [2, nil])
  }

  @Test func `with awaitingEnd, a canceled reader gets the producer's error`() async {
    struct Failure: Error {}
    let pipe = PolicyPipe(policy: keepAll)
    pipe.onTermination(awaitingEnd: true) {
      pipe.send(1)
      pipe.finish(throwing: Failure())
    }
    let reader = Task { try await pipe.next() }
    while !pipe.isAwaited { await Task.yield() }
    reader.cancel()
    await #expect(throws: Failure.self) { _ = try await reader.value }
  }

  @Test func `a consumer that leaves its loop and releases the stream abandons the pipe`()
    async throws
  {
    let pipe = PolicyPipe(policy: keepAll)
    try await confirmation { gone in
      pipe.onTermination { gone() }
      pipe.send(1)
      try await readOne(pipe.stream())
    }
  }

  @Test func `a termination handler that is set after the consumer left is called at once`()
    async throws
  {
    let pipe = PolicyPipe(policy: keepAll)
    pipe.send(1)
    try await readOne(pipe.stream())
    await confirmation { gone in pipe.onTermination { gone() } }
  }

  private func readOne(_ stream: AsyncThrowingStream<Int, any Error>) async throws {
    for try await element in stream {
      #expect(element == 1)
      break
    }
  }

  @Test func `a producer waits while the queue is full, however slow the reader is`() async throws {
    let pipe = PolicyPipe<Int>(policy: .keepingAll(limit: 4))
    let sent = Mutex(0)
    let producer = Task {
      for number in 0..<20 {
        pipe.send(number)
        sent.withLock { $0 += 1 }
        guard await pipe.room() else { return }
      }
      pipe.finish()
    }
    var count = 0
    for try await number in pipe.stream() {
      #expect(number == count && sent.withLock { $0 } <= count + 5)
      count += 1
    }
    #expect(count == 20)
    await producer.value
  }

  @Test func `a waiting producer is notified when the reader leaves`() async {
    let pipe = PolicyPipe<Int>(policy: .keepingAll(limit: 1))
    pipe.send(1)
    let producer = Task { await pipe.room() }
    while !pipe.isProducerWaiting { await Task.yield() }
    pipe.change { $0.abandon() }
    #expect(await producer.value == false)
  }
}
