import ClientDependenciesTestSupport
import Testing

private let meeting = Meeting()

@Suite struct ThreadCall {
  @Dependency(SoundClient.self) private var client

  @Test func guilty() async {
    await meeting.whileTheOtherRuns {
      let client = client
      await Elsewhere.thread.run { client.play() }
    }
  }

  @Test func innocent() async {
    _ = client
    await meeting.whileTheOtherRuns {}
  }
}
