/// Whether a test must state all behavior of a feature.
public enum Exhaustivity: Equatable, Sendable {
  /// Every change, received action, and running effect must be stated.
  case on
  /// Only the statements of the test are checked.
  ///
  /// - Parameter showSkippedAssertions: whether to print unstated behavior.
  case off(showSkippedAssertions: Bool)

  /// Only the statements of the test are checked.
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
