#if Foundation
// Authors and tests of clients need `reportIssue` and `withExpectedIssue` as well.
@_exported public import IssueReporting
#else
/// Writes the misuse of a dependency to standard error; a test process ends.
///
/// With the trait `Foundation`, IssueReporting's function of the same name is here instead, which also
/// fails the running test.
public func reportIssue(
  _ message: String,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) {
  guard !isTesting else { return }
  TestProcess.warn("\(fileID):\(line): \(message)")
}

/// Writes an error to standard error, as ``reportIssue(_:fileID:filePath:line:column:)`` does.
public func reportIssue(
  _ error: any Error,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) {
  reportIssue("\(error)", fileID: fileID, filePath: filePath, line: line, column: column)
}

/// How bad an issue is.
package enum IssueSeverity: Sendable { case warning, error }
#endif
