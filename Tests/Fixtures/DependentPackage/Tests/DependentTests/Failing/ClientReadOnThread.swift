import ClientDependenciesTestSupport
import Testing

private let meeting = Meeting()

@Suite struct ClientReadOnThread {
  @Dependency(SoundClient.self) private var client

  @Test func guilty() async {
    await meeting.whileTheOtherRuns {
      await Elsewhere.thread.run { [_client] in _client.wrappedValue.play() }
    }
  }

  @Test func innocent() async {
    _ = client
    await meeting.whileTheOtherRuns {}
  }
}
