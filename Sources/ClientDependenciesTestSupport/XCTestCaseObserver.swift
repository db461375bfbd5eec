#if !PointFreeDependencies
import ClientDependencies
import XCTest

/// Tells where XCTest's cases start and end, so that each has values of its own.
final class XCTestCaseObserver: NSObject, XCTestObservation {
  func testCaseWillStart(_ testCase: XCTestCase) {
    XCTestRun.caseWillStart()
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    XCTestRun.caseDidFinish()
  }
}
#endif
