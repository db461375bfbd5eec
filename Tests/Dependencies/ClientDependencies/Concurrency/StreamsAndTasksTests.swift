import ClientDependencies
import Testing

@Suite struct ErasedStreamTests {
  private struct Failing: AsyncSequence, Sendable {
    struct Iterator: AsyncIteratorProtocol {
      var count = 0
      mutating func next() async throws -> Int? {
        count += 1
        if count == 3 { throw Unimplemented("third") }
        return count
      }
    }
    func makeAsyncIterator() -> Iterator { Iterator() }
  }

  @Test func `a stream has the sequence's elements and ends when the sequence fails`() async {
    #expect(await Failing().eraseToStream().reduce(into: []) { $0.append($1) } == [1, 2])
  }

  @Test func `a throwing stream rethrows the sequence's error`() async {
    var seen: [Int] = []
    await #expect(throws: Unimplemented("third")) {
      for try await number in Failing().eraseToThrowingStream() { seen.append(number) }
    }
    #expect(seen == [1, 2])
  }

  /// A sequence that counts how often two tasks use its iterator at the same time.
  private struct Exclusive: AsyncSequence, Sendable {
    let overlaps: Counter
    struct Iterator: AsyncIteratorProtocol {
      let overlaps: Counter
      let inside = LockIsolated(0)
      var count = 0
      mutating func next() async -> Int? {
        if inside.withValue({
          $0 += 1; return $0
        }) > 1 {
          overlaps.increment()
        }
        await Task.megaYield()
        inside.withValue { $0 -= 1 }
        count += 1
        return count > 40 ? nil : count
      }
    }
    func makeAsyncIterator() -> Iterator { Iterator(overlaps: overlaps) }
  }

  @Test func `several tasks share the elements of one stream`() async {
    let overlaps = Counter()
    let stream = Exclusive(overlaps: overlaps).eraseToStream()
    let numbers = await withTaskGroup(of: [Int].self) { group in
      for _ in 0..<4 { group.addTask { await stream.reduce(into: []) { $0.append($1) } } }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(numbers.sorted() == Array(1...40))
    #expect(overlaps.count == 0)
  }

  @Test func `AsyncStream.never ends with its reader's task`() async throws {
    let reader = Task {
      for await _ in AsyncStream<Int>.never {}
      for try await _ in AsyncThrowingStream<Int, any Error>.never {}
      return Task.isCancelled
    }
    reader.cancel()
    #expect(try await reader.value)
  }

  @Test func `AsyncStream.finished is empty`() async throws {
    #expect(await AsyncStream<Int>.finished.first { _ in true } == nil)
    #expect(try await AsyncThrowingStream<Int, any Error>.finished().first { _ in true } == nil)
  }
}

@Suite struct TaskValuesTests {
  @Test func `Task.never waits until the task is canceled`() async {
    let tasks = [
      Task<Void, any Error> { try await Task.never() },
      Task { try await Task<Void, Never>.never() },
    ]
    for task in tasks {
      task.cancel()
      await #expect(throws: CancellationError.self) { try await task.value }
    }
  }

  @Test func `canceling a wait for cancellableValue cancels the task`() async {
    let inner = Task { try await Task.never() }
    let quiet = Task { for await _ in AsyncStream<Never>.never {} }
    let waiting = [
      Task { try await inner.cancellableValue }, Task { await quiet.cancellableValue },
    ]
    for task in waiting { task.cancel() }
    await #expect(throws: CancellationError.self) { try await waiting[0].value }
    _ = await waiting[1].result
    #expect(inner.isCancelled)
    #expect(quiet.isCancelled)
  }

  @Test func `Result(catching:) stores the value or the error of an asynchronous closure`()
    async throws
  {
    let one = await Result {
      await Task.yield()
      return 1
    }
    #expect(one.get() == 1)
    let failure = await Result<Int, any Error> {
      await Task.yield()
      throw Unimplemented("it")
    }
    #expect(throws: Unimplemented("it")) { try failure.get() }
    let typed: Result<Int, Unimplemented> = await Result { () async throws(Unimplemented) in
      await Task.yield()
      throw Unimplemented("it")
    }
    #expect(typed == .failure(Unimplemented("it")))
  }

  @Test func `megaYield lets other tasks run`() async {
    let count = Counter()
    let task = Task { count.increment() }
    await Task.megaYield()
    await Task.megaYield(count: 0)
    await Task.megaYield(count: -1)
    _ = await task.value
    #expect(count.count == 1)
    #expect(_defaultMegaYieldCount == 20)
  }
}
