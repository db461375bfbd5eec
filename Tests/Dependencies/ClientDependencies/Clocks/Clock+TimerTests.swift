import ClientDependencies
import Testing

@Suite struct ClockTimerTests {
  @Test func `a timer ticks once per interval until its reader is canceled`() async {
    let clock = TestClock()
    let ticks = LockIsolated<[Duration]>([])
    let unknown: any Clock<Duration> = clock
    let reader = Task {
      for await tick in unknown.timer(interval: .seconds(2)) {
        ticks.withValue { $0.append(tick.offset) }
      }
    }
    await clock.sleepers(atLeast: 1)
    await clock.advance(by: .seconds(7))
    #expect(ticks.value == [.seconds(2), .seconds(4), .seconds(6)])
    reader.cancel()
    await reader.value
    await #expect(throws: Never.self) { try await clock.checkSuspension() }
  }

  @Test func `a slow reader skips the missed ticks`() async {
    let clock = ImmediateClock()
    var iterator = clock.timer(interval: .seconds(2)).makeAsyncIterator()
    #expect(await iterator.next()?.offset == .seconds(2))
    try? await clock.sleep(for: .seconds(5))
    #expect(await iterator.next()?.offset == .seconds(8))
    #expect(await iterator.next()?.offset == .seconds(10))
  }

  @Test func `a canceled timer returns nil repeatedly`() async {
    let ticks = await Task {
      var iterator = ImmediateClock().timer(interval: .seconds(1)).makeAsyncIterator()
      withUnsafeCurrentTask { $0?.cancel() }
      return [await iterator.next(), await iterator.next()]
    }.value
    #expect(ticks.allSatisfy { $0 == nil })
  }

  @Test func `.immediate and .unimplemented can be passed as some Clock`() async throws {
    func pass(_ clock: some Clock<Duration>) async throws {
      try await clock.sleep(for: .seconds(9))
    }
    try await pass(.immediate)
    try await withKnownIssue {
      try await pass(.unimplemented(name: "Metronome"))
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Metronome.") == true
    }
  }
}
