import ClientDependenciesTestSupport
import Testing

private let meeting = Meeting()

@Suite struct MissingTestValueReadOnThread {
  @Dependency(LiveClient.self) private var client

  @Test func guilty() async {
    await meeting.whileTheOtherRuns {
      await Elsewhere.thread.run { [_client] in _ = _client.wrappedValue }
    }
  }

  @Test func innocent() async {
    await meeting.whileTheOtherRuns {}
  }
}
