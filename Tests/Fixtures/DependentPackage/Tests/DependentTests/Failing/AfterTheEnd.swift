import ClientDependenciesTestSupport
import Synchronization
import Testing

private let kept = Mutex<SoundClient?>(nil)

/// Serialized, so that `guilty` ends before `innocent` begins.
@Suite(.serialized) struct AfterTheEnd {
  @Test func guilty() {
    @Dependency(SoundClient.self) var client
    kept.withLock { $0 = client }
  }

  @Test func innocent() async {
    await Elsewhere.thread.run { kept.withLock { $0 }?.play() }
  }
}
