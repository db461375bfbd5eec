#if Foundation
// Authors and tests of clients also need `reportIssue` and `withExpectedIssue`.
@_exported public import IssueReporting
#else
/// Writes an issue to standard error.
///
/// In a test process, this function ends the process instead.
///
/// With the trait `Foundation`, IssueReporting's function of the same name is used instead, which
/// also fails the running test.
public func reportIssue(
  _ message: String,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) {
  _ = isTesting  // Ends a test process.
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

/// The severity of an issue.
package enum IssueSeverity: Sendable { case warning, error }
#endif
