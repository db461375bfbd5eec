/// Whether a test must assert all behavior of a feature.
public enum Exhaustivity: Equatable, Sendable {
  /// The test must assert every change and every received action, and every effect must end.
  case on
  /// Only the changes and actions that the test asserts are checked.
  ///
  /// - Parameter showSkippedAssertions: whether to print changes, actions, and running effects that
  ///   the test does not assert.
  case off(showSkippedAssertions: Bool)

  /// Only the changes and actions that the test asserts are checked.
  public static let off = Exhaustivity.off(showSkippedAssertions: false)
}

extension TestStore {
  /// Sets the exhaustivity for an operation.
  public func withExhaustivity<Value>(
    _ exhaustivity: Exhaustivity, operation: () throws -> Value
  ) rethrows -> Value {
    let before = self.exhaustivity
    self.exhaustivity = exhaustivity
    defer { self.exhaustivity = before }
    return try operation()
  }

  /// Sets the exhaustivity for an asynchronous operation.
  public func withExhaustivity<Value>(
    _ exhaustivity: Exhaustivity, operation: () async throws -> Value
  ) async rethrows -> Value {
    let before = self.exhaustivity
    self.exhaustivity = exhaustivity
    defer { self.exhaustivity = before }
    return try await operation()
  }
}
