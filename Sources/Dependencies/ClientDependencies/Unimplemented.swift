/// An unimplemented endpoint was called, usually one whose use a test did not expect.
public struct Unimplemented: Error, Equatable, CustomStringConvertible {
  /// The endpoint, as in `AudioPlayerClient.play`.
  public let endpoint: String

  /// Names the endpoint, as in `AudioPlayerClient.play`.
  public init(_ endpoint: String) {
    self.endpoint = endpoint
  }

  /// A short text for people.
  public var description: String { "Unimplemented: '\(endpoint)'" }
}

/// Reports that an unimplemented endpoint was called, and returns the error to throw.
///
/// It makes the defaults of a client's endpoints:
///
/// ```swift
/// var play: @Sendable (_ url: URL) async throws -> Void = { _ in
///   throw reportUnimplemented("AudioPlayerClient.play")
/// }
/// var setVolume: @Sendable (_ volume: Float) async -> Void = { _ in
///   reportUnimplemented("AudioPlayerClient.setVolume")
/// }
/// ```
///
/// In a test the issue fails the test; elsewhere it is written to stderr. An endpoint that may be
/// called on its own thread captures `IssueOrigin.current` where it is made and passes it as
/// `origin`, because that thread does not know its test.
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
