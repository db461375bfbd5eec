#if !PointFreeDependencies
extension _UnimplementedEndpoint {
  /// Reports the issue, and gets out of a call that cannot throw any error.
  ///
  /// It throws what `Failure` makes of an ``UnimplementedEndpointError``, or returns a placeholder,
  /// or throws or returns the first case of a type that lists its cases. Only where nothing of that
  /// is possible, the process ends: waiting for ever would hide the issue behind a time limit.
  public func outcome<Result, Failure: Error>(
    throwing: Failure.Type
  ) throws(Failure) -> Result {
    if let error = report() as? Failure { throw error }
    if let error = error(Failure.self) { throw error }
    if let value = Placeholder.value(of: Result.self) { return value }
    if let error = Placeholder.firstCase(of: Failure.self) { throw error }
    return placeholder()
  }

  private func error<Failure: Error>(_ type: Failure.Type) -> Failure? {
    (type as? any UnimplementedEndpointError.Type)?.unimplemented(name) as? Failure
  }

  /// What an endpoint returns that cannot throw, after the report.
  func placeholder<Result>() -> Result {
    if let value = Placeholder.value(of: Result.self) { return value }
    if let value = Placeholder.firstCase(of: Result.self) { return value }
    let advice = """
      '\(name)' is unimplemented, and there is nothing that the call could return or throw. Give \
      the endpoint a default, as in 'var … = { … }', or have \(Result.self) conform to \
      'UnimplementedPlaceholder' or, if the endpoint throws an error of its own, that error to \
      'UnimplementedEndpointError'.
      """
    origin.reportIssue(
      advice, fileID: fileID, filePath: filePath, line: line, column: column)
    preconditionFailure(advice)
  }
}
#endif
