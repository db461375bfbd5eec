import ClientDependencies
import Testing

@Suite struct AnyClockTests {
  @Test func `an AnyClock begins at zero and runs like its base clock`() async throws {
    let base = ImmediateClock<Duration>(now: .init(offset: .seconds(100)))
    let clock = AnyClock(base)
    #expect(clock.now.offset == .zero)
    #expect(clock.minimumResolution == .zero)
    try await clock.sleep(for: .seconds(5))
    #expect(clock.now.offset == .seconds(5))
    #expect(base.now.offset == .seconds(105))
  }

  @Test func `AnyClock can wrap a value of the type any Clock`() async throws {
    let unknown: any Clock<Duration> = ImmediateClock()
    let clock = AnyClock(unknown)
    let taken = try await clock.measure { try await clock.sleep(for: .seconds(3)) }
    #expect(taken == .seconds(3))
  }

  @Test func `canceling a sleep on an AnyClock cancels the base clock's sleep`() async {
    let base = TestClock()
    let clock = AnyClock(base)
    let task = Task { try await clock.sleep(for: .seconds(1)) }
    await base.sleepers(atLeast: 1)
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }
}
