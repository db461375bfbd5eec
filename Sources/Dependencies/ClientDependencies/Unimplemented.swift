/// The error of a call to an unimplemented endpoint, usually a call that a test did not expect.
public struct Unimplemented: Error, Equatable, CustomStringConvertible {
  /// The endpoint, as in `AudioPlayerClient.play`.
  public let endpoint: String

  /// Creates the error for an endpoint that is named as in `AudioPlayerClient.play`.
  public init(_ endpoint: String) {
    self.endpoint = endpoint
  }

  /// A short description for users.
  public var description: String { "Unimplemented: '\(endpoint)'" }
}

/// Makes the default of an endpoint that throws: it reports an issue and throws `Unimplemented`.
///
/// ```swift
/// var play: @Sendable (_ url: URL) async throws -> Void =
///   unimplemented(endpoint: "AudioPlayerClient.play")
/// ```
///
/// In a test, the issue fails the test that created the client, regardless of the thread that calls
/// the endpoint. Elsewhere it is written to stderr.
///
/// - Parameters:
///   - endpoint: the endpoint, as in `AudioPlayerClient.play`.
///   - fileID: the file that the issue names.
///   - filePath: the path of that file.
///   - line: the line that the issue names.
///   - column: the column that the issue names.
public func unimplemented<each Argument, Result>(
  endpoint: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column
) -> @Sendable (repeat each Argument) throws -> Result {
  { [origin = IssueOrigin.current] (_: repeat each Argument) in
    throw reportUnimplemented(
      endpoint, from: origin, fileID: fileID, filePath: filePath, line: line, column: column)
  }
}

/// Makes the default of an endpoint that cannot throw: it reports an issue and returns a
/// placeholder.
///
/// ```swift
/// var devices: @Sendable () async -> [AudioDevice] =
///   unimplemented(endpoint: "AudioPlayerClient.devices") { _ in [] }
/// ```
///
/// - Parameters:
///   - endpoint: the endpoint, as in `AudioPlayerClient.devices`.
///   - fileID: the file that the issue names.
///   - filePath: the path of that file.
///   - line: the line that the issue names.
///   - column: the column that the issue names.
///   - placeholder: makes the result, and may use the error.
public func unimplemented<each Argument, Result>(
  endpoint: String, fileID: StaticString = #fileID, filePath: StaticString = #filePath,
  line: UInt = #line, column: UInt = #column,
  placeholder: @escaping @Sendable (Unimplemented) -> Result
) -> @Sendable (repeat each Argument) -> Result {
  { [origin = IssueOrigin.current] (_: repeat each Argument) in
    placeholder(
      reportUnimplemented(
        endpoint, from: origin, fileID: fileID, filePath: filePath, line: line, column: column))
  }
}

/// Reports that an unimplemented endpoint was called, and returns the error to throw.
///
/// The defaults that `unimplemented(endpoint:)` makes call this function.
///
/// In a test the issue fails the test; elsewhere it is written to stderr. On a thread outside the
/// test's tasks, the test cannot be found. An endpoint for such threads captures
/// `IssueOrigin.current` at its creation and passes it as `origin`.
@discardableResult
public func reportUnimplemented(
  _ endpoint: String,
  from origin: IssueOrigin = .current,
  fileID: StaticString = #fileID,
  filePath: StaticString = #filePath,
  line: UInt = #line,
  column: UInt = #column
) -> Unimplemented {
  let error = Unimplemented(endpoint)
  origin.reportIssue(
    error.description, fileID: fileID, filePath: filePath, line: line, column: column)
  return error
}
