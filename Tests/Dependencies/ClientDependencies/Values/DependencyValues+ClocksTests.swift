import ClientDependencies
import Testing

@Suite struct DependencyValuesClocksTests {
  @Dependency(\.continuousClock) private var continuousClock
  @Dependency(\.suspendingClock) private var suspendingClock

  @Test func `the live clocks are the system's`() {
    withDependencies {
      $0.context = .live
    } operation: {
      #expect(continuousClock is ContinuousClock)
      #expect(suspendingClock is SuspendingClock)
    }
  }

  @Test func `sleeping on a clock that a test did not override is an issue`() async throws {
    try await withKnownIssue {
      try await continuousClock.sleep(for: .seconds(3_600))
    } matching: { issue in
      issue.comments.first?.rawValue.contains("'ContinuousClock.") == true
    }
    try await withKnownIssue {
      try await suspendingClock.sleep(for: .seconds(3_600))
    } matching: { issue in
      issue.comments.first?.rawValue.contains("'SuspendingClock.") == true
    }
  }

  @Test func `a test can override the clocks`() async throws {
    let clock = ImmediateClock()
    try await withDependencies {
      $0.continuousClock = clock
    } operation: {
      try await continuousClock.sleep(for: .seconds(3_600))
    }
    #expect(clock.now.offset == .seconds(3_600))
  }
}
