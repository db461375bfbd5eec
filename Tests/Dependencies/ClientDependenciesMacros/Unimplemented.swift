import Testing

/// Runs a call of an unimplemented endpoint; the test fails unless the call reports this endpoint,
/// and nothing else.
func expectUnimplemented(
  _ endpoint: String, sourceLocation: SourceLocation = #_sourceLocation, _ call: () throws -> Void
) {
  withKnownIssue(sourceLocation: sourceLocation) {
    do { try call() } catch { Issue.record(error) }
  } matching: {
    $0.comments.map(\.rawValue) == ["Unimplemented: '\(endpoint)'"]
  }
}

/// Runs an asynchronous call of an unimplemented endpoint; the test fails unless the call reports
/// this endpoint, and nothing else.
func expectUnimplemented(
  _ endpoint: String, isolation: isolated (any Actor)? = #isolation,
  sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> Void
) async {
  await withKnownIssue(isolation: isolation, sourceLocation: sourceLocation) {
    do { try await call() } catch { Issue.record(error) }
  } matching: {
    $0.comments.map(\.rawValue) == ["Unimplemented: '\(endpoint)'"]
  }
}
