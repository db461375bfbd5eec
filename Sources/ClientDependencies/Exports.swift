#if Foundation
// Authors and tests of clients need `reportIssue` and `withExpectedIssue` as well.
@_exported public import IssueReporting
#else
import Glibc

/// Writes the misuse of a dependency to standard error.
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

/// False; a test process ends instead, because no issue could fail its tests.
@usableFromInline
let isTesting: Bool = {
  let isXCTest = CommandLine.arguments.first?.hasSuffix(".xctest") == true
  guard isXCTest || TestProcess.wasAskedForSwiftTesting else { return false }
  TestProcess.warn("Tests need the trait \"Foundation\" of the package syrinx.")
  _exit(EXIT_FAILURE)
}()
#endif
