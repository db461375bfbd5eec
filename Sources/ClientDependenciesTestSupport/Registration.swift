#if !PointFreeDependencies
import ClientDependencies
import Testing
import XCTest

/// Runs when the process loads this module, before any test: users of the product need not
/// import or call anything.
@section(".init_array") @used
private let register: @convention(c) () -> Void = { registerWithFrameworks() }

private func registerWithFrameworks() {
  TestFramework.install(.swiftTesting)
  XCTestObservationCenter.shared.addTestObserver(XCTestCaseObserver())
}

extension TestFramework {
  /// Swift Testing, asked directly.
  static let swiftTesting = TestFramework(
    currentTest: { Test.current.map { RunningTest($0, case: .current) } },
    recordWithoutTest: { issue in
      Issue.record(
        Comment(rawValue: issue.text), severity: issue.severity == .warning ? .warning : .error,
        sourceLocation: SourceLocation(
          fileID: "\(issue.fileID)", filePath: "\(issue.filePath)", line: Int(issue.line),
          column: Int(issue.column)))
    })
}

extension RunningTest {
  init(_ test: Test, case testCase: Test.Case?) {
    let location = test.sourceLocation
    self.init(
      name: test.name, fileID: location.fileID, line: location.line, column: location.column,
      arguments: testCase.flatMap(CaseIdentities.shared.identity))
  }
}

/// Reports where XCTest's cases start and end, so that each has values of its own.
final class XCTestCaseObserver: NSObject, XCTestObservation {
  func testCaseWillStart(_ testCase: XCTestCase) {
    XCTestRun.caseWillStart()
  }

  func testCaseDidFinish(_ testCase: XCTestCase) {
    XCTestRun.caseDidFinish()
  }
}
#endif
