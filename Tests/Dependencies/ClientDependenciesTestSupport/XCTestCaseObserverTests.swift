import ClientDependenciesTestSupport
import XCTest

/// Uses XCTest, because it tests an observer of XCTest cases.
///
/// The cases run in the order of their names.
final class XCTestCaseObserverTests: XCTestCase {
  @Dependency(\.tally) private var tally
  // Only the thread that runs the test cases uses this property.
  nonisolated(unsafe) private static weak var tallyOfFirstCase: Tally?

  func test1ACaseHasValuesOfItsOwn() {
    XCTAssertEqual(tally.next(), 1)
    XCTAssertEqual(tally.next(), 2)
    Self.tallyOfFirstCase = tally
    XCTAssertNotNil(Self.tallyOfFirstCase)
  }

  func test2TheNextCaseDoesNotSeeThemAndTheyAreReleased() {
    XCTAssertNil(Self.tallyOfFirstCase)
    XCTAssertEqual(tally.next(), 1)
  }

  func test3ADetachedTaskUsesTheValuesOfTheCase() async {
    XCTAssertEqual(tally.next(), 1)
    let next = await Task.detached { [_tally] in _tally.wrappedValue.next() }.value
    XCTAssertEqual(next, 2)
  }
}
