import ClientDependenciesTestSupport
import XCTest

final class PassingXCTestCaches: XCTestCase {
  @Dependency(Tally.self) private var tally

  func testOne() {
    XCTAssertEqual(tally.next(), 1)
    XCTAssertEqual(tally.next(), 2)
  }

  func testAnother() {
    XCTAssertEqual(tally.next(), 1)
  }

  func testFromADetachedTask() async {
    XCTAssertEqual(tally.next(), 1)
    let next = await Task.detached { [_tally] in _tally.wrappedValue.next() }.value
    XCTAssertEqual(next, 2)
  }
}
