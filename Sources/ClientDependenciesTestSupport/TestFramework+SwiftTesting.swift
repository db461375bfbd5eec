#if !PointFreeDependencies
import ClientDependencies
import Testing

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
#endif
