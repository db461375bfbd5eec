import ClientDependencies
import XCTest

final class WithoutSupport: XCTestCase {
  @Dependency(Name.self) private var word

  func testOne() {
    XCTAssertEqual(word, "test")
  }

  func testAnother() {
    XCTAssertEqual(word, "test")
  }
}

private enum Name: TestDependencyKey {
  static let testValue = "test"
}
