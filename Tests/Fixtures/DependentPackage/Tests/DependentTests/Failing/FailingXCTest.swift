import ClientDependenciesTestSupport
import XCTest

final class FailingXCTest: XCTestCase {
  @Dependency(SoundClient.self) private var client

  func testGuilty() async {
    let client = client
    await Elsewhere.thread.run { client.play() }
  }

  func testInnocent() {
    _ = client
  }
}
