import ClientDependencies
import Testing

@testable import AudioCore

@Suite struct PreviewStageTests {
  /// Counts seconds, up to `limit` if it is not nil.
  private struct Count: PreviewScript {
    var limit: Int? = 3
    var passed = Duration.zero
    var number = 0
    var isHeld = false
    var events: [Int] = []

    var isEndless: Bool { limit == nil }

    mutating func next() -> PreviewStep<Int> {
      if !events.isEmpty { return .send(events.removeFirst()) }
      if isHeld { return .hold }
      return number == limit ? .end() : .wait(.seconds(number + 1) - passed)
    }

    mutating func waited(_ duration: Duration) {
      passed += duration
      guard passed >= .seconds(number + 1) else { return }
      number += 1
      events.append(number)
    }
  }

  private let clock = TestClock()
  private let policy = PipePolicy<Int> { $0.append($1) }

  @Test func `a script runs to its end on the given clock`() async throws {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(), on: ImmediateClock(), policy: policy)
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    #expect(await stage.scripts.isEmpty)
  }

  @Test func `a script on hold does nothing until it is updated, and then continues where it was`()
    async throws
  {
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

  @Test func `updating a script does not restart the current wait`() async throws {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(), on: clock, policy: policy)
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .milliseconds(600))
    #expect(await stage.scripts.map(\.passed) == [.milliseconds(600)])
    #expect(try await stage.update { $0.limit = 1 })
    await clock.advance(by: .milliseconds(400))
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1])
  }

  @Test
  func `on an immediate clock, an endless script advances only while other code sleeps`()
    async throws
  {
    let stage = PreviewStage<Count>()
    let clock = ImmediateClock()
    let stream = await stage.start(
      Count(limit: nil), on: clock, isImmediate: true, policy: policy)
    try await clock.sleep(for: .milliseconds(2_500))
    #expect(await stage.scripts.map(\.passed) == [.milliseconds(2_500)])
    #expect(try await stage.update { $0.limit = 2 })
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1, 2])
    #expect(clock.now.offset == .milliseconds(2_500))
  }

  @Test(.timeLimit(.minutes(1)))
  func `reading or updating a script returns even if the clock keeps moving`()
    async throws
  {
    let stage = PreviewStage<Count>()
    let stream = await stage.start(Count(limit: nil), on: ContinuousClock(), policy: policy)
    #expect(await stage.scripts.count == 1)
    #expect(try await stage.update { $0.limit = 0 })
    #expect(try await stream.reduce(into: 0) { count, _ in count += 1 } == 0)
  }

  @Test func `a finite script ends at once on an immediate clock`() async throws {
    let stage = PreviewStage<Count>()
    let clock = ImmediateClock()
    let stream = await stage.start(Count(), on: clock, isImmediate: true, policy: policy)
    #expect(await stage.scripts.isEmpty)
    #expect(clock.now.offset == .seconds(3))
    #expect(try await stream.reduce(into: []) { $0.append($1) } == [1, 2, 3])
  }

  @Test func `a script is not started if its check throws`() async throws {
    struct Refused: Error {}
    let stage = PreviewStage<Count>()
    _ = await stage.start(Count(), on: clock, policy: policy)
    let stream = await stage.start(Count(), on: clock, policy: policy) { others in
      #expect(others.count == 1)
      throw Refused()
    }
    await #expect(throws: Refused.self) { for try await _ in stream {} }
  }

  /// A script that only reads, until it is canceled.
  private struct Reading: PreviewScript {
    let read: @Sendable () async throws -> Duration?

    func next() -> PreviewStep<Int> { .read(read) }
    func waited(_ duration: Duration) {}
  }

  @Test func `a running script ends when its stream's consumer is canceled`() async throws {
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
