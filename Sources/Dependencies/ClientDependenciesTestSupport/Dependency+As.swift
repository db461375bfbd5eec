#if !PointFreeDependencies
public import ClientDependencies

extension Dependency {
  /// Reads a dependency as the concrete type that the test has set.
  ///
  /// ```swift
  /// @Suite(.dependencies { $0.continuousClock = TestClock() })
  /// struct PlayerTests {
  ///   @Dependency(\.continuousClock, as: TestClock<Duration>.self) var clock
  /// }
  /// ```
  ///
  /// Reading a value of another type ends the process, with a message that names both types.
  public init<T>(
    _ keyPath: any KeyPath<DependencyValues, T> & Sendable,
    as type: Value.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) { values in
      cast(values[keyPath: keyPath], readAt: "\(fileID):\(line)")
    }
  }

  /// Reads a key's value as the concrete type that the test has set.
  ///
  /// Reading a value of another type ends the process, with a message that names both types.
  public init<Key: TestDependencyKey>(
    _ key: Key.Type,
    as type: Value.Type,
    fileID: StaticString = #fileID,
    filePath: StaticString = #filePath,
    line: UInt = #line,
    column: UInt = #column
  ) {
    self.init(fileID: fileID, filePath: filePath, line: line, column: column) { values in
      cast(values[Key.self], readAt: "\(fileID):\(line)")
    }
  }
}

private func cast<Value>(_ value: Any, readAt location: @autoclosure () -> String) -> Value {
  guard let value = value as? Value else {
    preconditionFailure(
      """
      The dependency that is read at \(location()) as a '\(Value.self)' is a '\(type(of: value))'. Override it in the \
      test's traits, with '.dependency(…)' or '.dependencies { … }'.
      """)
  }
  return value
}
#endif
