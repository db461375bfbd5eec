// With the trait `PointFreeDependencies`, Point-Free's module replaces this implementation. The
// only other files that then contain code are `CreationScope.swift`, `Exports.swift`, and
// `Unimplemented.swift`.
#if PointFreeDependencies
@_exported public import Dependencies
import IssueReporting

/// The test that an issue belongs to.
///
/// Point-Free's module does not track the test, so this type only calls `reportIssue`.
public struct IssueOrigin: Sendable {
  /// An origin that names no test.
  public init() {}

  /// An origin that names no test.
  public static var current: IssueOrigin { IssueOrigin() }

  /// Reports an issue.
  public func reportIssue(
    _ message: String,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    IssueReporting.reportIssue(
      message, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}
#endif
