import ClientDependencies
import XCTest

/// Uses XCTest, whose cases prepare the same value one after another in one process.
final class PrepareDependenciesXCTests: XCTestCase {
  @Dependency(\.number) private var number

  func test1ACasePreparesAValue() {
    prepareDependencies { $0.number = 10 }
    XCTAssertEqual(number, 10)
  }

  func test2TheNextOneHasForgottenIt() {
    XCTAssertEqual(number, 3)
  }

  func test3TheOneAfterThatPreparesItAnew() async {
    prepareDependencies { $0.number = 11 }
    let read = await Task.detached { DependencyValues._current.number }.value
    XCTAssertEqual(read, 11)
  }
}
