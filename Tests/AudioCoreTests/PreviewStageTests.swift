import ClientDependencies
import Testing

@testable import AudioCore

@Suite struct PreviewStageTests {
  /// Counts to a number, one second each.
  private struct Count: PreviewScript {
    var limit = 3
    var number = 0
    var isHeld = false
    var events: [Int] = []

    mutating func next() -> PreviewStep<Int> {
      if !events.isEmpty { return .send(events.removeFirst()) }
      if isHeld { return .hold }
      return number < limit ? .wait(.seconds(1)) : .end()
    }

    mutating func waited(_ duration: Duration?) {
      number += 1
      events.append(number)
    }
  }

  private let clock = TestClock()
  private let policy = PipePolicy<Int> { $0.append($1) }

  @Test func `a script is performed on the clock to its end`() async throws {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(), on: ImmediateClock(), policy: policy)
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    #expect(await stage.scripts.isEmpty)
  }

  @Test func `a held script waits for a change, and a finished wait counts`() async throws {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(), on: clock, policy: policy)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(1))
    #expect(try await stage.update { $0.isHeld = true })
    await clock.advance(by: .seconds(60))
    #expect(await stage.scripts.map(\.number) == [1])
    #expect(try await stage.update { ($0.isHeld, $0.limit) = (false, 1) })
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1])
  }

  @Test func `a change that does not interrupt leaves the wait as it is`() async throws {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(), on: clock, policy: policy)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(600))
    #expect(try await stage.update(interrupting: false) { $0.limit = 1 })
    await clock.advance(by: .milliseconds(400))
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1])
  }

  @Test func `a check that throws refuses a script`() async throws {
    struct Refused: Error {}
    let stage = PreviewStage<Count>()
    _ = await stage.start(Count(), on: clock, policy: policy)
    let stream = await stage.start(Count(), on: clock, policy: policy) { others in
      #expect(others.count == 1)
      throw Refused()
    }
    await #expect(throws: Refused.self) { for try await _ in stream {} }
  }

  /// Reads until it is canceled.
  private struct Reading: PreviewScript {
    let read: @Sendable () async throws -> Duration?

    func next() -> PreviewStep<Int> { .read(read) }
    func waited(_ duration: Duration?) {}
  }

  @Test func `a performance ends with its consumer`() async throws {
    let stage = PreviewStage<Reading>()
    let (cancelled, cancel) = AsyncStream<Never>.makeStream()
    let script = Reading { [clock] in
      defer { cancel.finish() }
      try await clock.sleep(for: .seconds(1))
      return nil
    }
    let stream = await stage.start(script, on: clock, policy: policy)
    let consumer = Task { try await stream.reduce(into: []) { $0.append($1) } }
    await clock.sleepers(atLeast: 1)
    consumer.cancel()
    #expect(try await consumer.value.isEmpty)
    for await _ in cancelled {}
    #expect(await stage.scripts.isEmpty)
  }
}
