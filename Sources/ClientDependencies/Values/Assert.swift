#if !PointFreeDependencies
extension DependencyValues {
  /// What checks an assertion: `assert` at work, and an issue with the message in tests.
  ///
  /// ```swift
  /// @Dependency(\.assert) var assert
  /// assert(volume >= 0, "A volume is never negative.")
  /// ```
  public var assert: any AssertionEffect { self[AssertKey.self] }

  /// What reports a failed assertion: `assert` with a condition that is false.
  public var assertionFailure: any AssertionFailureEffect {
    AssertionFailure(assert: assert)
  }

  /// What checks a precondition: `precondition` at work, and an issue with the message in tests.
  public var precondition: any AssertionEffect { self[PreconditionKey.self] }
}

enum AssertKey: DependencyKey {
  static let liveValue: any AssertionEffect = AnyAssertionEffect { condition, message, file, line in
    Swift.assert(condition(), message(), file: file, line: line)
  }
  static var testValue: any AssertionEffect { AnyAssertionEffect.reporting }
}

enum PreconditionKey: DependencyKey {
  static let liveValue: any AssertionEffect = AnyAssertionEffect { condition, message, file, line in
    Swift.precondition(condition(), message(), file: file, line: line)
  }
  static var testValue: any AssertionEffect { AnyAssertionEffect.reporting }
}

extension AnyAssertionEffect {
  /// Goes on after a condition that is false, with a reported issue at the caller's line.
  fileprivate static var reporting: Self {
    AnyAssertionEffect { [origin = IssueOrigin.current] condition, message, file, line in
      guard !condition() else { return }
      origin.reportIssue(message(), fileID: file, filePath: file, line: line)
    }
  }
}

private struct AssertionFailure: AssertionFailureEffect {
  let assert: any AssertionEffect

  func callAsFunction(
    _ message: @autoclosure () -> String, file: StaticString, line: UInt
  ) {
    assert(false, message(), file: file, line: line)
  }
}
#endif
