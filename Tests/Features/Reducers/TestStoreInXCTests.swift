import ClientDependencies
import Reducers
import XCTest

/// Tests a test store in an XCTest case.
final class TestStoreInXCTests: XCTestCase {
  @MainActor
  func testAStoreStatesReceivesAndFinishes() async {
    let clock = TestClock<Duration>()
    let store = TestStore(initialState: Counter.State()) {
      Counter()
    } withDependencies: {
      $0.continuousClock = clock
    }
    await store.send(.increment) { $0.count = 1 }
    await store.send(.addLater(2))
    await clock.advance(by: .seconds(1))
    await store.receive(.add(2)) { $0.count = 3 }
    await store.finish()
    XCTAssertEqual(store.state.count, 3)
  }
}
