import ClientDependenciesTestSupport
import Testing

private let meeting = Meeting()

@Suite struct IssueReportingsUnimplemented {
  @Test func guilty() async {
    @Dependency(SoundClient.self) var client
    await meeting.whileTheOtherRuns {
      await Elsewhere.thread.run { [_client] in _client.wrappedValue.stop() }
    }
  }

  @Test func innocent() async {
    await meeting.whileTheOtherRuns {}
  }
}
