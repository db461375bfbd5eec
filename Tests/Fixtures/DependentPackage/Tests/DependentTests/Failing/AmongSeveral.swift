import ClientDependenciesTestSupport
import Testing

private let meeting = Meeting()

@Suite struct AmongSeveral {
  @Dependency(SoundClient.self) private var client

  @Test func guilty() async {
    await meeting.whileTheOtherRuns {
      await Elsewhere.thread.run { [_client] in _client.wrappedValue.stop() }
    }
  }

  @Test func innocent() async {
    await meeting.whileTheOtherRuns {}
    _ = client
  }
}
