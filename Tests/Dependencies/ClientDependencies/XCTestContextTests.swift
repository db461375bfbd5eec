import ClientDependencies
import XCTest

/// Uses XCTest, to check that XCTest is detected, too.
final class XCTestContextTests: XCTestCase {
  @Dependency(\.number) private var number

  func testXCTestSeesTestValues() {
    XCTAssertEqual(DependencyValues._current.context, .test)
    XCTAssertEqual(number, 3)
  }

  func testOverridesReachAsynchronousCode() async {
    await withDependencies {
      $0.number = 4
    } operation: {
      await Task.yield()
      XCTAssertEqual(number, 4)
    }
  }
}
