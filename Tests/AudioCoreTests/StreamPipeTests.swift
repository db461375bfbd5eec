import AudioCore
import Synchronization
import Testing

@Suite struct StreamPipeTests {
  private let keepAll = PipePolicy<Int> { $0.append($1) }

  @Test func `a stream yields what was sent and ends with the error`() async {
    struct Failure: Error {}
    let pipe = StreamPipe(policy: keepAll)
    pipe.send(1)
    pipe.send(2)
    pipe.finish(throwing: Failure())
    var seen: [Int] = []
    await #expect(throws: Failure.self) {
      for try await element in pipe.stream() { seen.append(element) }
    }
    #expect(seen == [1, 2])
  }

  @Test func `cancelling a waiting consumer ends its stream and tells the sender once`()
    async throws
  {
    let pipe = StreamPipe(policy: keepAll)
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

  @Test func `a consumer that leaves the loop and the stream behind is gone`() async throws {
    let pipe = StreamPipe(policy: keepAll)
    try await confirmation { gone in
      pipe.onTermination { gone() }
      pipe.send(1)
      try await readOne(pipe.stream())
    }
  }

  @Test func `a handler set after the consumer went is called at once`() async throws {
    let pipe = StreamPipe(policy: keepAll)
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
}
