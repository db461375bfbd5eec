import ClientDependencies
import Testing

@Suite struct UnimplementedClockTests {
  @Test func `a sleep reports an issue that names the clock, and then returns`() async throws {
    let clock = UnimplementedClock<Duration>(name: "Metronome")
    try await withKnownIssue {
      try await clock.sleep(until: .init(offset: .seconds(1)))
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'Metronome.sleep'") == true
    }
  }

  @Test func `reading the time of an unimplemented clock is an issue`() {
    withKnownIssue {
      #expect(UnimplementedClock().now.offset == .zero)
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'Clock.now'") == true
    }
  }

  @Test func `after the issue, an unimplemented clock behaves like its base clock`() async throws {
    let base = ImmediateClock()
    try await base.sleep(for: .seconds(2))
    let clock = UnimplementedClock(base, name: "Metronome")
    try await withKnownIssue {
      try await clock.sleep(until: .init(offset: .seconds(3)))
    } matching: { issue in
      issue.comments.first?.rawValue.contains("Unimplemented: 'Metronome.sleep'") == true
    }
    #expect(base.now.offset == .seconds(5))
  }

  @Test(arguments: Elsewhere.allCases)
  func `using an unimplemented clock on another thread records an issue in the test`(
    place: Elsewhere
  ) async {
    await withKnownIssue {
      @Dependency(\.continuousClock) var clock
      await place.run { [clock] in _ = clock.minimumResolution }
    } matching: { issue in
      issue.comments.first?.rawValue
        .contains("Unimplemented: 'ContinuousClock.minimumResolution'") == true
    }
  }
}
