import ClientDependencies
import Testing

@Suite struct ImmediateClockTests {
  @Test func `a sleep advances the time and returns at once`() async throws {
    let clock = ImmediateClock()
    try await clock.sleep(for: .seconds(3_600))
    try await clock.sleep(for: .seconds(60))
    #expect(clock.now.offset == .seconds(3_660))
  }

  @Test func `a sleep until a past time does not move the time back`() async throws {
    let clock = ImmediateClock<Duration>(now: .init(offset: .seconds(10)))
    try await clock.sleep(until: .init(offset: .seconds(5)))
    #expect(clock.now.offset == .seconds(10))
  }

  @Test func `a canceled task does not sleep`() async {
    let clock = ImmediateClock()
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      try await clock.sleep(for: .seconds(1))
    }
    await #expect(throws: CancellationError.self) { try await task.value }
    #expect(clock.now.offset == .zero)
  }
}
