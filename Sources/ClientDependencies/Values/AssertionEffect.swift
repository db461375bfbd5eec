#if !PointFreeDependencies
/// A check that can be called like `assert` and `precondition`.
public protocol AssertionEffect: Sendable {
  /// Checks a condition.
  ///
  /// - Parameters:
  ///   - condition: what should be true.
  ///   - message: what is said where it is not.
  ///   - file: the caller's file, as `#fileID` gives it.
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
  @inlinable
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
  /// Reports that something happened which should not.
  ///
  /// - Parameters:
  ///   - message: what is said.
  ///   - file: the caller's file, as `#fileID` gives it.
  ///   - line: the caller's line.
  func callAsFunction(
    _ message: @autoclosure () -> String,
    file: StaticString,
    line: UInt
  )
}

extension AssertionFailureEffect {
  /// Reports at the caller's line that something happened which should not.
  @_disfavoredOverload
  @inlinable
  public func callAsFunction(
    _ message: @autoclosure () -> String = "",
    file: StaticString = #fileID,
    line: UInt = #line
  ) {
    callAsFunction(message(), file: file, line: line)
  }
}

/// A check made of a closure.
public struct AnyAssertionEffect: AssertionEffect {
  private let assert:
    @Sendable (
      _ condition: @autoclosure () -> Bool,
      _ message: @autoclosure () -> String,
      _ file: StaticString,
      _ line: UInt
    ) -> Void

  /// Makes a check that calls `assert`, with the condition and the message yet to be evaluated.
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
