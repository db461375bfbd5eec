#if !PointFreeDependencies
/// A call of an endpoint that nobody has implemented; only the macros' expansions use it.
public struct _UnimplementedEndpoint: Sendable {
  let name: String
  let origin: IssueOrigin
  let fileID: StaticString
  let filePath: StaticString
  let line: UInt
  let column: UInt

  /// Names the endpoint, as in `AudioPlayerClient.play`, the test that it belongs to and the place
  /// that an issue names.
  public init(
    _ name: String, from origin: IssueOrigin, fileID: StaticString, filePath: StaticString,
    line: UInt, column: UInt
  ) {
    self.name = name
    self.origin = origin
    self.fileID = fileID
    self.filePath = filePath
    self.line = line
    self.column = column
  }

  /// Reports the issue, and gives the error to throw.
  @discardableResult
  public func report() -> Unimplemented {
    reportUnimplemented(
      name, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Where endpoints report to that are no part of a `@DependencyClient`, which has a property of
/// this name.
public var _issueOrigin: IssueOrigin { .current }
#endif
