#if !PointFreeDependencies
extension DependencyValues {
  /// Checks an assertion: calls `assert` in the live context, and reports an issue with the message
  /// in tests.
  ///
  /// ```swift
  /// @Dependency(\.assert) var assert
  /// assert(volume >= 0, "A volume is never negative.")
  /// ```
  public var assert: any AssertionEffect { self[AssertKey.self] }

  /// Reports a failed assertion, as `assert` does for a false condition.
  public var assertionFailure: any AssertionFailureEffect {
    AssertionFailure(assert: assert)
  }

  /// Checks a precondition: calls `precondition` in the live context, and reports an issue with the
  /// message in tests.
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
  /// Reports an issue at the caller's line for a false condition, and continues.
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

/// A check that can be called like `assert` and `precondition`.
public protocol AssertionEffect: Sendable {
  /// Checks a condition.
  ///
  /// - Parameters:
  ///   - condition: the condition that should be true.
  ///   - message: the message if the condition is false.
  ///   - file: the caller's file, from `#fileID`.
  ///   - line: the caller's line.
  func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt
  )
}

extension AssertionEffect {
  /// Checks a condition at the caller's line.
  @_disfavoredOverload
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String = "",
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    callAsFunction(condition(), message(), file: file, line: line)
  }
}

/// A report that can be called like `assertionFailure`.
public protocol AssertionFailureEffect: Sendable {
  /// Reports a failure.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - file: the caller's file, from `#fileID`.
  ///   - line: the caller's line.
  func callAsFunction(
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt
  )
}

extension AssertionFailureEffect {
  /// Reports a failure at the caller's line.
  @_disfavoredOverload
  public func callAsFunction(
    _ message: @autoclosure () -> String = "",
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    callAsFunction(message(), file: file, line: line)
  }
}

/// A check that calls a closure.
public struct AnyAssertionEffect: AssertionEffect {
  private let assert:
    @Sendable (
      _ condition: @autoclosure () -> Bool,
      _ message: @autoclosure () -> String,
      _ file: StaticString,
      _ line: UInt
    ) -> Void

  /// Creates a check from a closure with the parameters of `assert`; the closure evaluates the
  /// condition and the message itself.
  public init(
    _ assert:
      @escaping @Sendable (
        _ condition: @autoclosure () -> Bool,
        _ message: @autoclosure () -> String,
        _ file: StaticString,
        _ line: UInt
      ) -> Void
  ) {
    self.assert = assert
  }

  /// Calls the closure.
  public func callAsFunction(
    _ condition: @autoclosure () -> Bool,
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt
  ) {
    assert(condition(), message(), file, line)
  }
}
#endif
