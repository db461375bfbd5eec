// With the trait Point-Free's module takes the place of the implementation here: of the other files
// only `Exports.swift` and `Unimplemented.swift` hold anything then.
#if PointFreeDependencies
@_exported public import Dependencies
import IssueReporting

/// The test that an issue belongs to: Point-Free's module has no notion of it, so that issues are
/// reported as `reportIssue` does.
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
