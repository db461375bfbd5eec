import ClientDependencies
import Testing

@Suite struct ReadWithoutSupport {
  @Test func reads() {
    @Dependency(\.uuid) var uuid
    _ = uuid
  }
}

@Suite struct IssueWithoutSupport {
  @Test func reports() {
    reportIssue("something is wrong")
  }
}

@Suite struct ClockWithoutSupport {
  @Test func waitsInVain() async {
    await TestClock().sleepers(atLeast: 1, timeout: .zero)
  }
}
